"""What raters wrote, as a section: codes with both denominators, agreement of coders, the comments text by text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from metrics.agreement.kappa import cohen_kappa
from metrics.errors import MetricsError
from metrics.evaluators.comment_codes import NULL, Codebook, Coded, code_table, coder_agreement
from metrics.report.records import ReportInput
from metrics.report.row_records import CodebookName, CodeRow
from metrics.report.section import Section
from metrics.report.wording import plural
from metrics.tables.record import Column, Row, Table

KEY, TITLE = "explanations", "Explanations"
ADJUDICATED = "adjudicated"
EVERYBODY = "all"
CRITERIA = ("criteria-agreement", " of the work by criteria")
Comment = tuple[str, str, str]  # text, rater, question


def section(given: ReportInput, *, level: float) -> Section | None:
    """None where raters wrote nothing and nothing was coded."""
    if not given.comments and not given.codes:
        return None
    tables: list[Table] = []
    missing: list[tuple[str, str]] = []
    said, judged = _of(given, "comments"), _of(given, "criteria")
    if said:
        book, settled = codebook(given), _settled(said)
        for table in (_counts(given, book, settled, level, missing), _agreement(said, book, missing)):
            tables += [table] if table is not None else []
    else:
        missing.append(("Codes of comments", "nobody coded them"))
    if judged:
        found = _agreement(judged, _book(given.criteria, judged), missing, *CRITERIA)
        tables += [found] if found is not None else []
    tables += [_written(given)] if given.comments else []
    return Section(KEY, TITLE, _lead(given), tuple(tables), (), tuple(missing))


def _lead(given: ReportInput) -> tuple[str, ...]:
    kept = sum(one.kept for one in given.comments)
    if not kept:
        return ()
    coded = len({_comment(one) for one in _of(given, "comments")})
    writers = len({one.rater for one in given.comments if one.kept})
    return (f"{plural(kept, 'comment')} by {plural(writers, 'person', 'people')}; {coded} of them coded.",)


def codebook(given: ReportInput) -> Codebook:
    """The codebook as recorded; codes beyond it, and all codes without one, under `other codes`."""
    return _book(given.codebook, _of(given, "comments"))


def _of(given: ReportInput, name: CodebookName) -> tuple[CodeRow, ...]:
    """What was coded by one of the two codebooks."""
    return tuple(one for one in given.codes if one.codebook == name)


def _book(categories: Sequence[tuple[str, tuple[str, ...]]], rows: Sequence[CodeRow]) -> Codebook:
    found = {name: tuple(codes) for name, codes in categories}
    known = {code for codes in found.values() for code in codes}
    more = sorted({code for one in rows for code in one.codes if code != NULL} - known)
    if more:
        found["other codes"] = tuple(more)
    return Codebook(found or {"other codes": ("none given",)})


def _comment(one: CodeRow) -> Comment:
    return (one.text, one.rater, one.question)


def _settled(codes: Sequence[CodeRow]) -> dict[Comment, tuple[str, ...]]:
    """One coding a comment: the adjudicated one, else the first."""
    found: dict[Comment, tuple[str, ...]] = {}
    for one in sorted(codes, key=lambda one: one.coder != ADJUDICATED):
        found.setdefault(_comment(one), one.codes)
    return found


def _conditions(given: ReportInput) -> Mapping[tuple[str, str], str]:
    """The condition in which a rater judged a text."""
    return {(one.text, one.rater): one.condition for one in given.ratings if one.condition}


def _counts(
    given: ReportInput,
    book: Codebook,
    settled: Mapping[Comment, tuple[str, ...]],
    level: float,
    missing: list[tuple[str, str]],
) -> Table | None:
    conditions, groups = _conditions(given), defaultdict[str, list[Coded]](list)
    for comment, codes in settled.items():
        coded = Coded(" ".join(comment), "settled", codes or (NULL,))
        groups[EVERYBODY].append(coded)
        condition = conditions.get(comment[:2], "")
        if condition:
            groups[condition].append(coded)
    rows: list[Row] = []
    for name, coded_here in groups.items():
        try:
            found = code_table(coded_here, book, level=level)
        except MetricsError as error:
            missing.append((f"Codes of comments, {name}", str(error)))
            continue
        for row in found.rows:
            if row.labels or row.code is None:
                shares = (row.share_of_labels, row.share_of_comments)
                rows.append((name, row.category, row.code or "whole category", *shares, row.labels, row.comments))
        rows.append((name, NULL, "says nothing of use", None, None, 0, found.null_comments))
    columns = (
        Column("condition", "Condition"),
        Column("category", "Category"),
        Column("code", "Code"),
        Column("share_of_labels", "Share of labels", "share_estimate", digits=1),
        Column("share_of_comments", "Share of comments", "share_estimate", digits=1),
        Column("labels", "Labels", "count"),
        Column("comments", "Comments", "count"),
    )
    title = (
        "Codes of comments with both denominators: all labels without null, and all comments; intervals over comments. "
        "A comment coded twice counts as adjudicated, else by its first coder."
    )
    return Table("comment-codes", title, columns, tuple(rows)) if rows else None


def _agreement(
    codes: Sequence[CodeRow],
    book: Codebook,
    missing: list[tuple[str, str]],
    name: str = "coder-agreement",
    of: str = "",
) -> Table | None:
    """First against second coder of each comment that has two, whoever they were. of: what else they coded."""
    titled = f"Agreement of coders{of}"
    by_comment: defaultdict[Comment, list[CodeRow]] = defaultdict(list)
    for one in codes:
        if one.coder != ADJUDICATED:
            by_comment[_comment(one)].append(one)
    coded = [
        Coded(" ".join(comment), place, one.codes or (NULL,))
        for comment, own in by_comment.items()
        if len(own) > 1
        for place, one in zip(("first", "second"), own, strict=False)
    ]
    if not coded:
        missing.append((titled, "no comment was coded by two"))
        return None
    try:
        found = coder_agreement(coded, ("first", "second"), cohen_kappa, book)
    except MetricsError as error:
        missing.append((titled, str(error)))
        return None
    rows = tuple((code, kappa, kappa.n) for code, kappa in found.items())
    columns = (
        Column("code", "Code"),
        Column("kappa", "Cohen's κ", "estimate", n="n"),
        Column("n", "Comments", "count"),
    )
    title = f"Agreement of two coders on each code{of}, given or not, over the comments that both coded."
    note = "A dash: nobody, or everybody, gave the code, so that agreement beyond chance is not defined."
    return Table(name, title, columns, rows, (note,))


def _written(given: ReportInput) -> Table:
    """Every kept comment beside the answer it goes with, text by text."""
    answers = {(one.text, one.rater): one for one in given.ratings}
    source = {text.id: text.generator or "reference" for text in given.texts}
    settled = _settled(_of(given, "comments"))
    rows = []
    for one in sorted((c for c in given.comments if c.kept), key=lambda c: (c.text, _label(answers, c.text, c.rater))):
        codes = ", ".join(settled.get((one.text, one.rater, one.question), ()))
        answer = _label(answers, one.text, one.rater)
        rows.append((one.text, source.get(one.text, ""), answer, one.question, one.body, codes or "not coded"))
    columns = tuple(
        Column(key, title)
        for key, title in (
            ("text", "Text"),
            ("source", "Written by"),
            ("answer", "Answer"),
            ("question", "Asked for"),
            ("comment", "Comment"),
            ("codes", "Codes"),
        )
    )
    title = "What raters wrote, text by text and answer by answer: the same text often draws opposite reasons."
    return Table("comments", title, columns, tuple(rows))


def _label(answers: Mapping[tuple[str, str], object], text: str, rater: str) -> str:
    found = answers.get((text, rater))
    return str(getattr(found, "label", "")) if found else ""
