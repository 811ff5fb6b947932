"""The report of a study: records in, numbers with intervals and figures out, as HTML, JSON, CSV and plain text.

`records` says what a report is made from, `build` computes it, `write` puts it on disk, `text` prints it.
"""
