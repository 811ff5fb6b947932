"""The compiled paths, their switch and their threads."""
