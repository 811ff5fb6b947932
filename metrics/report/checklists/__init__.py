"""What a report must state: completeness, HEDS."""
