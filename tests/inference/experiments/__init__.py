"""One test file for each module of inference.experiments."""
