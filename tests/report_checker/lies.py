"""Plant one lie in a true sentence: another number, or another word where the sentence states one."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Words that state a fact, and what a lie would say.
OTHER = {
    "was": "was not",
    "Every": "Hardly any",
    "before": "after",
    "after": "before",
    "No": "A large",
    "alpha": "gamma",
    "beta": "gamma",
    "USD": "XAU",
    "EUR": "XAU",
    "JPY": "XAU",
    "CHF": "XAU",
    "people": "experts",
    "person": "expert",
    "simulated": "professional",
    "paid": "owed",
    "approved": "rejected",
    "higher": "lower",
    "lower": "higher",
    "none": "all",
    "US": "FR",
    "DE": "FR",
    "voucher": "cash",
    "volunteers": "employees",
    "October": "May",
    "November": "May",
    "pairs": "stories",
    "items": "stories",
    "which machine": "which author",
    "no interval": "an interval",
}
LIMIT = re.compile(r"−?\d+(?:\.\d+)?")
NUMBER = re.compile(r"(?<![\w.])(?:\d+(?:\.\d+)?|\.\d+)")
# Of the width of an interval, by which a lie moves a limit that is held to a range; of an interval wider than two,
# whose other limit lies so near 1 that two decimals leave its distance open, more.
SHARE, SHARE_OF_WIDE, WIDE = 0.15, 0.3, 2
# Numbers that are names: of a paper, of a mode, of a page.
NAMES = re.compile(r"et al\., \d{4}|\d+-nearest|rater \d|guessing would give 50%|chance \(50%\)|against 50%|holds 50%")


def lies(sentence: str, *, ranged: str = "", share: float = SHARE) -> Iterator[str]:
    """The sentence with one number changed, or one word another.

    A whole number is one higher; of another the last digit is two higher, as either rounding of a tie is true.

    ranged: a pattern of intervals whose limits are held to a range; share: of their width, by which a lie moves one.
    """
    hidden = [match.span() for match in NAMES.finditer(sentence)]
    intervals = [match.span() for match in re.finditer(ranged, sentence)] if ranged else []
    for match in NUMBER.finditer(sentence):
        if not any(low <= match.start() < high for low, high in hidden):
            digits = len(match[0].partition(".")[2])
            by: float = 2 * 10**-digits if digits else 1
            for low, high in intervals:
                if low <= match.start() < high:
                    ends = [float(end.replace("−", "-")) for end in LIMIT.findall(sentence[low:high])]
                    width = ends[1] - ends[0]
                    by = max(by, (max(share, SHARE_OF_WIDE) if width > WIDE else share) * width)
            other = f"{float(match[0]) + by:.{digits}f}"
            yield sentence[: match.start()] + other + sentence[match.end() :]
    lied = False
    for word, other in OTHER.items():
        for match in re.finditer(rf"\b{word}\b", sentence):
            if not any(low <= match.start() < high for low, high in hidden):
                lied = True
                yield sentence[: match.start()] + other + sentence[match.end() :]
    if not lied and NUMBER.search(sentence) is None:
        # A sentence without a number or such a word states something all the same: its longest word is another.
        word = max(re.findall(r"[a-z]{4,}", sentence), key=len)
        yield sentence.replace(word, "otherwise", 1)
