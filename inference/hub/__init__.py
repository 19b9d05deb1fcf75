"""The Hugging Face Hub: what it has, and downloads that survive anything; the only importer of huggingface_hub."""
