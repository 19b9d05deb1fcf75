"""The benchmarks: ratios against bare llama.cpp, interleaved in one process (`python -m tests.bench`)."""
