"""What raters wrote, as a section: codes with both denominators, agreement of coders, the comments text by text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from metrics.agreement.kappa import cohen_kappa
from metrics.data.sentence import plain
from metrics.errors import MetricsError
from metrics.evaluators.comment_codes import NULL, Codebook, Coded, code_table, coder_agreement
from metrics.report.data_file import DataFile
from metrics.report.records import RatingRow, ReportInput
from metrics.report.row_records import (
    CODE_COLUMNS,
    CODEBOOK_COLUMNS,
    COMMENT_COLUMNS,
    CodebookName,
    CodeRow,
    CommentRow,
)
from metrics.report.section import Section
from metrics.report.section_kind import Options, written
from metrics.report.wording import plural
from metrics.tables.record import Column, Row, Table

KEY, TITLE = "explanations", "Explanations"
ADJUDICATED = "adjudicated"
EVERYBODY = "all"
NO_ANSWER = "A dash: no answer of this rater to this text is recorded."
CRITERIA = ("criteria-agreement", " of the work by criteria")
ON_CODES = plain("Agreement of two coders on each code, with or without it, over the comments coded by both.")
ON_KINDS = plain(
    "Agreement of two coders on each code of the work by criteria, with or without it, over the comments coded by both."
)
NO_CODE, SAYS_NOTHING = "no code", "says nothing of use"
Comment = tuple[str, str, str]  # text, rater, question


def gather(report_input: ReportInput) -> ReportInput | None:
    """None where raters wrote nothing and nothing was coded."""
    return report_input if report_input.comments or report_input.codes else None


def write(report_input: ReportInput, options: Options) -> Section:
    """Codes of comments, agreement of coders, and what was written."""
    level = options.level
    options.announce("explanations")
    tables: list[Table] = []
    missing: list[tuple[str, str]] = []
    comment_codes, criteria_codes = _of(report_input, "comments"), _of(report_input, "criteria")
    if comment_codes:
        book, settled = codebook(report_input), _settled(comment_codes)
        for table in (_counts(report_input, book, settled, level, missing), _agreement(comment_codes, book, missing)):
            tables += [table] if table is not None else []
    else:
        missing.append(("Codes of comments", "they were not coded"))
    if criteria_codes:
        table_of_criteria = _agreement(criteria_codes, _book(report_input.criteria, criteria_codes), missing, *CRITERIA)
        tables += [table_of_criteria] if table_of_criteria is not None else []
    tables += [_written(report_input)] if report_input.comments else []
    return Section(KEY, TITLE, _lead(report_input), tuple(tables), (), tuple(missing))


def _lead(report_input: ReportInput) -> tuple[str, ...]:
    count = sum(comment.kept for comment in report_input.comments)
    if not count:
        return ()
    included = {(comment.text, comment.rater, comment.question) for comment in report_input.comments if comment.kept}
    writers = len({rater for _, rater, _ in included})
    by_content, judged = (
        len(included & {_comment(row) for row in _of(report_input, name)}) for name in ("comments", "criteria")
    )
    ways = [f"{by_content} of them coded by what they say"] if by_content or not judged else []
    ways += [f"{judged} of them coded by criteria"] if judged else []
    simulated = report_input.study.mode == "rehearsal"
    people = ("simulated rater", "simulated raters") if simulated else ("person", "people")
    return (f"{plural(count, 'comment')} by {plural(writers, *people)}; {', '.join(ways)}.",)


def codebook(report_input: ReportInput) -> Codebook:
    """The codebook as recorded; codes beyond it, and all codes without one, under `other codes`."""
    return _book(report_input.codebook, _of(report_input, "comments"))


def _of(report_input: ReportInput, name: CodebookName) -> tuple[CodeRow, ...]:
    """What was coded by one of the two codebooks."""
    return tuple(row for row in report_input.codes if row.codebook == name)


def _book(categories: Sequence[tuple[str, tuple[str, ...]]], rows: Sequence[CodeRow]) -> Codebook:
    book = {name: tuple(codes) for name, codes in categories}
    known = {code for codes in book.values() for code in codes}
    more = sorted({code for row in rows for code in row.codes if code != NULL} - known)
    if more:
        book["other codes"] = tuple(more)
    return Codebook(book or {"other codes": ("none given",)})


def _comment(row: CodeRow) -> Comment:
    return (row.text, row.rater, row.question)


def _settled(codes: Sequence[CodeRow]) -> dict[Comment, tuple[str, ...]]:
    """One coding a comment: the adjudicated one, else the first."""
    settled: dict[Comment, tuple[str, ...]] = {}
    for row in sorted(codes, key=lambda row: row.coder != ADJUDICATED):
        settled.setdefault(_comment(row), row.codes)
    return settled


def _conditions(report_input: ReportInput) -> Mapping[tuple[str, str], str]:
    """The condition in which a rater judged a text."""
    return {(rating.text, rating.rater): rating.condition for rating in report_input.ratings if rating.condition}


def _counts(
    report_input: ReportInput,
    book: Codebook,
    settled: Mapping[Comment, tuple[str, ...]],
    level: float,
    missing: list[tuple[str, str]],
) -> Table | None:
    conditions, groups = _conditions(report_input), defaultdict[str, list[Coded]](list)
    writers: dict[str, str] = {}
    for comment, codes in settled.items():
        coded = Coded(" ".join(comment), "settled", codes or (NULL,))
        writers[coded.comment] = comment[1]
        groups[EVERYBODY].append(coded)
        condition = conditions.get(comment[:2], "")
        if condition:
            groups[condition].append(coded)
    rows: list[Row] = []
    for name, coded_comments in groups.items():
        try:
            counts = code_table(coded_comments, book, writers=writers, level=level)
        except MetricsError as error:
            missing.append((f"Codes of comments, {name}", str(error)))
            continue
        for row in counts.rows:
            if row.labels or row.code is None:
                shares = (row.share_of_labels, row.share_of_comments)
                rows.append((name, row.category, row.code or "whole category", *shares, row.labels, row.comments))
        rows.append((name, NO_CODE, SAYS_NOTHING, None, None, 0, counts.null_comments))
    columns = (
        Column("condition", "Condition"),
        Column("category", "Category"),
        Column("code", "Code"),
        Column("share_of_labels", "Share of labels", "share_estimate", digits=1),
        Column("share_of_comments", "Share of comments", "share_estimate", digits=1),
        Column("labels", "Labels", "count"),
        Column("comments", "Comments", "count"),
    )
    title = plain("Codes of comments with both denominators: all labels, and all comments; intervals over people.")
    note = "A comment coded twice counts as adjudicated, else by its first coder."
    return Table("comment-codes", title, columns, tuple(rows), (note,)) if rows else None


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
    for row in codes:
        if row.coder != ADJUDICATED:
            by_comment[_comment(row)].append(row)
    coded = [
        Coded(" ".join(comment), place, row.codes or (NULL,))
        for comment, codings in by_comment.items()
        if len(codings) > 1
        for place, row in zip(("first", "second"), codings, strict=False)
    ]
    if not coded:
        missing.append((titled, "no comment was coded by two"))
        return None
    try:
        kappas = coder_agreement(coded, ("first", "second"), cohen_kappa, book)
    except MetricsError as error:
        missing.append((titled, str(error)))
        return None
    rows = tuple((SAYS_NOTHING if code == NULL else code, kappa, kappa.n) for code, kappa in kappas.items())
    columns = (
        Column("code", "Code"),
        Column("kappa", "Cohen's κ", "estimate", n="n"),
        Column("n", "Comments", "count"),
    )
    title = ON_KINDS if of else ON_CODES
    note = "A dash: the code was always or never given, so agreement beyond chance is not defined."
    return Table(name, title, columns, rows, (note,))


def _written(report_input: ReportInput) -> Table:
    """Return every included comment with its answer, text by text."""
    answers = {(rating.text, rating.rater): rating for rating in report_input.ratings}
    source = {text.id: text.generator or "reference" for text in report_input.texts}
    settled = _settled(_of(report_input, "comments"))
    rows = []
    place = {text.id: at for at, text in enumerate(report_input.texts)}

    def by_text_and_answer(comment: CommentRow) -> tuple[int, float, str]:
        rating = answers.get((comment.text, comment.rater))
        return place.get(comment.text, len(place)), float(rating.value) if rating else 0.0, comment.rater

    for comment in sorted((each for each in report_input.comments if each.kept), key=by_text_and_answer):
        chosen = settled.get((comment.text, comment.rater, comment.question))
        codes = "" if chosen is None else ", ".join(code for code in chosen if code != NULL) or SAYS_NOTHING
        answer = _label(answers, comment.text, comment.rater)
        rows.append(
            (comment.text, source.get(comment.text, ""), answer, comment.question, comment.body, codes or "not coded")
        )
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
    title = plain("Comments of raters, text by text and answer by answer.")
    # Where no comment has an answer the page is without that column, and so without its dashes.
    unanswered = any(row[2] is None for row in rows) and any(row[2] is not None for row in rows)
    return Table("comments", title, columns, tuple(rows), (NO_ANSWER,) if unanswered else ())


def _label(answers: Mapping[tuple[str, str], RatingRow], text: str, rater: str) -> str | None:
    answer = answers.get((text, rater))
    return answer.label or None if answer else None


def files(report_input: ReportInput) -> Iterator[DataFile]:
    """What raters wrote, and what coders made of it."""
    if report_input.comments:
        yield DataFile("comments", COMMENT_COLUMNS, report_input.comments)
    if report_input.codes:
        books = (("comments", report_input.codebook), ("criteria", report_input.criteria))
        codes = [(name, category, code) for name, book in books for category, codes in book for code in codes]
        yield DataFile("codes", CODE_COLUMNS, [(row, code) for row in report_input.codes for code in row.codes])
        yield DataFile("codebook", CODEBOOK_COLUMNS, codes)


SECTIONS = (written(KEY, TITLE, 50, gather, write, files),)
