"""The names that files and rows of two papers' studies have for their question: the only place that writes them.

Everything else asks for the answer type. HUSE is of TYPICAL (Hashimoto et al. 2019), which files omit where nothing
else was rated; WRITTEN_BY (Clark et al. 2021) has no recorded answer type in files of earlier releases.
"""

from __future__ import annotations

TYPICAL, WRITTEN_BY = "typicality", "human_or_machine"
SEVERITY = "severity"  # of errors: a higher rating is a worse text
