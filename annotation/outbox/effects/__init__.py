"""What each kind of intent does on a marketplace: one effect, brought about once, its outcome written once."""
