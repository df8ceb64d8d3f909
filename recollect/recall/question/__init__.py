"""What is asked: a question read, before anything is looked at."""
