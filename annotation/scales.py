"""Scales that ship with Assay: labels, default codes and glosses."""

from __future__ import annotations

TYPICALITY = "typicality"

# HUSE (Hashimoto et al. 2019), Appendix A.3: the labels are terms of the field; codes 0-5 as printed there.
# The glosses are ours.
TYPICALITY_LABELS: tuple[tuple[str, str, str], ...] = (
    ("Very Typical", "5", "You would expect to come across this all the time."),
    ("Typical", "4", "You would often come across something like this."),
    ("Average", "3", "It would not surprise you, but you would see it less often than a typical one."),
    ("Specific", "2", "It is right, but only in a very particular setting."),
    ("Rare", "1", "It could be right somewhere, but you would be surprised to see it."),
    ("Invalid", "0", "It is not a valid one: clearly false, off the subject, or not grammatical."),
)
