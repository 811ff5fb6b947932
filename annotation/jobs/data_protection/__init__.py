"""What an installation stores of people, as a whole: access, erasure, the record of processing."""
