"""What a study costs and what it pays: pure functions on whole cents."""
