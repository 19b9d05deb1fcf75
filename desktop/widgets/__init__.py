"""What is drawn: each widget shows one thing and says what was done to it."""
