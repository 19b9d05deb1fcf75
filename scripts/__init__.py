"""What is run before Headwater is: its set-up, on the standard library alone."""
