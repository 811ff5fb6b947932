"""HITs: lifecycle, escrow, eligibility, catalogue."""
