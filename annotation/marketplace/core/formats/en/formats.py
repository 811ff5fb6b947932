"""Dates and times in English, as `moments.js` writes them: November 29, 2026 at 1:31 AM."""

DATE_FORMAT = "F j, Y"
DATETIME_FORMAT = r"F j, Y \a\t g:i A"
