"""The meaning of each column of the report's CSV files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

COLUMNS = ("file", "column", "meaning")
MEASURES = {
    "huse": "HUSE: twice the leave-one-out error of nearest neighbours on judgment and log-probability",
    "huse_q": "HUSE-Q: the same by judgment alone",
    "huse_d": "HUSE-D: 1 + HUSE - HUSE-Q",
    "log_prob_only": "the same by log-probability alone",
}
ESTIMATE = {
    "_low": "lower end of its interval",
    "_high": "upper end of its interval",
    "_level": "level of the interval",
    "_n": "texts behind it",
    "_method": "how the interval was made",
    "_flags": "what a reader must know of it",
    "_signature": "the line that identifies the computation",
}
ITEMS = {
    "id": "the text",
    "generator": "generator whose log-probabilities the row holds; references appear once for each",
    "source": "reference or model",
    "hj": "human judgment: mean of the kept ratings, an exact decimal where there is one",
    "hj_low": "lower end of its interval over raters",
    "hj_high": "upper end of its interval over raters",
    "ratings": "kept ratings of the text",
    "hj_sum": "their exact sum",
    "log_prob": "natural log-probability of the whole text under the generator; -inf for probability zero",
    "length": "units by which it is divided",
    "length_unit": "what a unit is",
    "decoding": "how the generator's texts were decoded",
    "log_prob_decoding": "the distribution that the log-probability belongs to",
    "context": "id of the context; texts of one context form a pair",
    "context_id": "id of the context, where some texts have none",
    "context_text": "the context as shown",
    "text": "the text as shown",
}
RATINGS = {
    "item": "the text",
    "rater": "pseudonym of the rater",
    "value": "the label's number in the coding shown",
    "label": "the label as chosen",
    "hit": "the task that showed the text",
    "position": "its place in the task, from 1",
    "criterion": "what was asked",
    "condition": "the condition of the design",
    "partner": "the other text of a pair",
}
JUDGMENTS = {
    "rater": "pseudonym of the evaluator",
    "item": "the text",
    "truth": "human or machine: who wrote the text",
    "rating": "1 (definitely human-written) to 4 (definitely machine-generated)",
    "condition": "the condition of the design",
    "training": "what evaluators saw beforehand",
    "domain": "domain of the texts of the condition",
    "generator": "generator of the machine texts of the condition",
}
ASSIGNMENTS = {
    "assignment": "a number that Assay assigned",
    "rater": "pseudonym of the rater",
    "hit": "the task",
    "condition": "the condition of the design",
    "submitted_at": "when it was submitted (ISO 8601)",
    "seconds": "active time where the page measured it, else from accepting to submitting",
    "payment": "approved, rejected or empty",
    "kept": "yes: part of the analysis",
    "reason": "why it is not",
    "reward": "what the task pays when it is approved, as the currency writes it: 1.25 in euros, 150 in yen",
    "currency": "ISO 4217 code of the currency of the reward",
}
RATERS = {
    "rater": "pseudonym of the rater",
    "assignments": "assignments submitted",
    "ratings": "ratings given",
    "ratings_kept": "ratings in the analysis",
    "mean": "mean of the kept ratings, in the coding shown",
    "median_seconds": "median time of an assignment",
}
COMMENTS = {
    "item": "the text",
    "rater": "pseudonym of the rater",
    "question": "what was asked for",
    "comment": "what the rater wrote",
    "kept": "yes: part of the analysis",
}
CODES = {
    "item": "the text of the comment",
    "rater": "pseudonym of its rater",
    "question": "what was asked for",
    "coder": "who coded it",
    "code": "one code",
    "codebook": "comments: what the comment says; criteria: what is judged of the work by it",
}
CODEBOOK = {
    "codebook": "comments or criteria",
    "category": "what the code belongs to",
    "code": "one code, as coders choose it",
}
FLAGS = {
    "assignment": "a number that Assay assigned",
    "rater": "pseudonym of the rater",
    "flag": "the quality rule it met",
}
RESULTS = {
    "part": "part of the results",
    "table": "table of the part",
    "row": "words of the row",
    "column": "what the number is",
    "value": "the number, nothing rounded",
    "low": "lower end of its interval, or of the band that `method` names",
    "high": "upper end of its interval or band",
    "level": "level of the interval, or share of the draws in the band",
    "n": "units behind the number",
    "method": "how the interval or band was made",
    "flags": "what a reader must know",
    "signature": "the line that identifies the computation",
    "note": "of a comparison of arms: how raters were assigned to them, unless at random",
}
HUSE = {
    "generator": "the generator",
    "ties": "exact or paper",
    **{name + part: meaning for name, what in MEASURES.items() for part, meaning in {"": what, **ESTIMATE}.items()},
    "n": "texts",
    "ratings": "ratings per text",
    "k": "neighbours",
    "p_null": "p of the test that HUSE is 1",
}
FILES = {
    "items": ITEMS,
    "ratings": RATINGS,
    "ratings-excluded": RATINGS,
    "judgments": JUDGMENTS,
    "assignments": ASSIGNMENTS,
    "raters": RATERS,
    "comments": COMMENTS,
    "codes": CODES,
    "codebook": CODEBOOK,
    "flags": FLAGS,
    "results": RESULTS,
    "huse": HUSE,
}


def rows(names: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """A line for each column of the files that are there, named without their ending; items-NAME is as items."""
    for name in names:
        known = FILES.get(name) or (ITEMS if name.startswith("items-") else {})
        for column, meaning in known.items():
            yield f"{name}.csv", column, meaning
