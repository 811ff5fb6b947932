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
}
NUMBER = re.compile(r"(?<![\w.])(?:\d+(?:\.\d+)?|\.\d+)")
FAR = 3  # how far a lie moves a number that is held to a range
# Numbers that are names: of a paper, of a mode, of a page.
NAMES = re.compile(r"et al\., \d{4}|\d+-nearest|rater \d|guessing would give 50%|chance \(50%\)|against 50%|holds 50%")


def lies(sentence: str, *, blind: str = "", wide: str = "") -> Iterator[str]:
    """The sentence with one number changed, or one word another.

    A whole number is one higher; of another the last digit is two higher, as either rounding of a tie is true.

    blind: a pattern of what nothing can check; wide: of what is held to a range, where a lie is far off.
    """
    hidden, ranged = (
        [match.span() for pattern in patterns if pattern for match in re.finditer(pattern, sentence)]
        for patterns in ((NAMES.pattern, blind), (wide,))
    )
    for match in NUMBER.finditer(sentence):
        if not any(low <= match.start() < high for low, high in hidden):
            digits = len(match[0].partition(".")[2])
            by: float = 2 * 10**-digits if digits else 1
            if any(low <= match.start() < high for low, high in ranged):
                by = FAR
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
