"""The stable names of what can be wrong with a file, what each means, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """A named fault. The words are a promise: programs and pages may rely on them."""

    RULE = "rule"
    # The file
    CANNOT_READ = "cannot-read"
    NOT_A_TEXT_FILE = "not-a-text-file"
    UNDECODABLE_BYTES = "undecodable-bytes"
    MIXED_ENCODINGS = "mixed-encodings"
    UNKNOWN_ENCODING = "unknown-encoding"
    NUL = "nul"
    BOM_INSIDE = "bom-inside"
    EMPTY_FILE = "empty-file"
    NO_ROWS = "no-rows"
    LINE_TOO_LONG = "line-too-long"
    BAD_MAPPING = "bad-mapping"
    # CSV
    WRONG_DELIMITER = "wrong-delimiter"
    MISSING_COLUMN = "missing-column"
    DUPLICATED_COLUMN = "duplicated-column"
    UNKNOWN_COLUMN = "unknown-column"
    UNNAMED_COLUMN = "unnamed-column"
    TOO_MANY_COLUMNS = "too-many-columns"
    SHORT_ROW = "short-row"
    LONG_ROW = "long-row"
    BLANK_ROW = "blank-row"
    UNTERMINATED_QUOTE = "unterminated-quote"
    STRAY_QUOTE = "stray-quote"
    # JSON Lines
    INVALID_JSON = "invalid-json"
    JSON_ARRAY = "json-array"
    NOT_AN_OBJECT = "not-an-object"
    NESTED_VALUE = "nested-value"
    WRONG_TYPE = "wrong-type"
    DUPLICATED_MEMBER = "duplicated-member"
    # A datasets folder
    NOT_A_DATASET = "not-a-dataset"
    WHICH_SPLIT = "which-split"
    DAMAGED_DATASET = "damaged-dataset"
    # Workbooks, Parquet and JSON documents
    DAMAGED_FILE = "damaged-file"
    FILE_TOO_LARGE = "file-too-large"
    MERGED_CELLS = "merged-cells"
    FORMULA_CELL = "formula-cell"
    DATE_CELL = "date-cell"
    NO_TEXTS_IN_LAYOUT = "no-texts-in-layout"
    # Cells
    EMPTY_TEXT = "empty-text"
    BLANK_TEXT = "blank-text"
    EMPTY_ID = "empty-id"
    MANGLED_ID = "mangled-id"
    DATE_LIKE_ID = "date-like-id"
    INVISIBLE_IN_ID = "invisible-in-id"
    DUPLICATE_ID = "duplicate-id"
    SPREADSHEET_ERROR = "spreadsheet-error"
    MISSING_WORD = "missing-word"
    DAMAGED_LETTERS = "damaged-letters"
    TEXT_TOO_LONG = "text-too-long"
    CONTEXT_TOO_LONG = "context-too-long"
    CELL_TOO_LONG = "cell-too-long"
    CONTROL_CHARACTER = "control-character"
    LONE_SURROGATE = "lone-surrogate"
    MARKUP = "markup"
    UNKNOWN_SOURCE = "unknown-source"
    MISSING_GENERATOR = "missing-generator"
    UNKNOWN_GENERATOR = "unknown-generator"
    TWO_DECODINGS = "two-decodings"
    CONTEXT_DIFFERS = "context-differs"
    # Numbers
    LOG_P_ABOVE_ZERO = "log-p-above-zero"
    LOG_P_NOT_A_NUMBER = "log-p-not-a-number"
    LOG_P_NAN = "log-p-nan"
    LOG_P_INFINITE = "log-p-infinite"
    LOG_P_WHOSE = "log-p-whose"
    DUPLICATE_LOG_P = "duplicate-log-p"
    UNKNOWN_TEXT = "unknown-text"
    MISSING_LOG_P = "missing-log-p"
    DECODING_DIFFERS = "decoding-differs"
    LENGTH_NOT_POSITIVE = "length-below-one"
    LENGTH_NOT_INTEGER = "length-not-whole"
    LENGTH_MISSING = "length-missing"
    LENGTH_UNIT_MISSING = "length-unit-missing"
    LENGTH_UNIT_UNKNOWN = "length-unit-unknown"
    NEGATIVE_FREQUENCY = "negative-frequency"
    FREQUENCY_NOT_INTEGER = "frequency-not-whole"
    FREQUENCY_ABOVE_CORPUS = "frequency-above-corpus"
    NUMBER_TOO_LARGE = "number-too-large"
    # Texts together, and the study they go into
    DUPLICATE_TEXT = "duplicate-text"
    BOTH_SOURCES = "both-sources"
    UNPAIRED_CONTEXT = "unpaired-context"
    TWO_REFERENCES = "two-references"
    SAME_REFERENCE = "same-reference"
    INCOMPLETE_CONTEXT = "incomplete-context"
    ID_IN_STUDY = "id-in-study"
    DIFFERS_FROM_STUDY = "differs-from-study"


# In advice, the place of the column that a problem is about.
COLUMN = "COLUMN"


@dataclass(frozen=True, slots=True)
class Fault:
    """What a code means and what a person can do about it; `warns`: it stops nothing.

    Where `do` or `page` says COLUMN, a problem puts in the column that it is about.

    page: what to do where the file came by a form, which has fields in place of the command's options; "": the same.
    """

    means: str
    do: str
    warns: bool = False
    page: str = ""


# What a researcher may know better: with `allow` these only warn. Their names on pages.
PROBLEM_NAMES = {
    Code.DUPLICATE_TEXT: "Repeated texts",
    Code.MARKUP: "HTML tags in texts",
    Code.TWO_REFERENCES: "Two references for one context",
    Code.UNPAIRED_CONTEXT: "Contexts with texts of one side only",
}


def _tick_advice(code: Code) -> str:
    return f"tick “{PROBLEM_NAMES[code]}” below “Treat these problems as warnings”"


CATALOGUE: dict[Code, Fault] = {
    Code.RULE: Fault("a rule of this kind of file", "Do what the sentence says."),
    Code.CANNOT_READ: Fault("the file cannot be opened", "Check its name and whether you may read it."),
    Code.NOT_A_TEXT_FILE: Fault(
        "a workbook, an archive or another binary file", "Unpack it, or save it as CSV in UTF-8."
    ),
    Code.UNDECODABLE_BYTES: Fault(
        "bytes that are not characters in the file's encoding",
        "Save the file as UTF-8, or name its encoding: --encoding cp1252 (Excel in Europe and America).",
        page="Save the file as UTF-8, or choose its encoding below “Column names, encoding, separator”.",
    ),
    Code.MIXED_ENCODINGS: Fault(
        "some rows are UTF-8, others are not", "Parts of two files were joined: convert each to UTF-8 first."
    ),
    Code.UNKNOWN_ENCODING: Fault("unknown encoding", "Name one such as utf-8, utf-16, cp1252 or gb18030."),
    Code.NUL: Fault("a NUL character", "The file is damaged or not a text file. Export it again."),
    Code.BOM_INSIDE: Fault(
        "a byte order mark inside the file", "It is left by joining files: delete the character U+FEFF."
    ),
    Code.EMPTY_FILE: Fault("nothing is in the file", "Export it again."),
    Code.NO_ROWS: Fault("a header and no rows", "Export it with its rows."),
    Code.LINE_TOO_LONG: Fault("a line of over 16 million characters", "Check the line ends of the file."),
    Code.BAD_MAPPING: Fault("a mapping that cannot be used", "See the section on mappings in docs/import.md."),
    Code.WRONG_DELIMITER: Fault(
        "the cells are separated by another character",
        "Name it: --delimiter semicolon, or the character itself.",
        page="Choose it below “Column names, encoding, separator”.",
    ),
    Code.MISSING_COLUMN: Fault(
        "a column that is needed",
        "Add it, or give its name in the file: --column COLUMN=NAME (import_texts).",
        page="Add it, or give its name in the file in “Names of columns in your file”: COLUMN = NAME.",
    ),
    Code.DUPLICATED_COLUMN: Fault("two columns of one name", "Rename or delete one of them."),
    Code.UNKNOWN_COLUMN: Fault(
        "a column that is not read",
        "No action needed. To read it, assign it: --column NAME=COLUMN (import_texts).",
        warns=True,
        page="No action needed. To read it, assign it in “Names of columns in your file”: NAME = COLUMN.",
    ),
    Code.UNNAMED_COLUMN: Fault(
        "a column without a name", "No action needed. To read it, name it (pandas: index=False).", warns=True
    ),
    Code.TOO_MANY_COLUMNS: Fault(
        "more columns than the limit of 1,000",
        "Keep the columns that are to be read; see that rows end in line breaks.",
    ),
    Code.SHORT_ROW: Fault("fewer cells than the header", "Quote cells that hold line breaks; fill the row."),
    Code.LONG_ROW: Fault("more cells than the header", "Quote cells that hold the delimiter."),
    Code.BLANK_ROW: Fault("a row of blank cells", "No action needed. The row is skipped.", warns=True),
    Code.UNTERMINATED_QUOTE: Fault(
        "a quotation mark that is opened and not closed",
        'Close it; inside a quoted cell write "" for each. It can cause problems in the rows after it.',
    ),
    Code.STRAY_QUOTE: Fault("a quotation mark inside a quoted cell", 'Write it twice ("").'),
    Code.INVALID_JSON: Fault("a line that is not JSON", "Write one JSON object per line."),
    Code.JSON_ARRAY: Fault("one JSON list instead of lines", "Write one object per line (pandas: lines=True)."),
    Code.NOT_AN_OBJECT: Fault("a line that holds no JSON object", 'Write {"id": ..., "text": ...} on each line.'),
    Code.NESTED_VALUE: Fault("a list or an object where a text belongs", "Write each value as a member of its own."),
    Code.WRONG_TYPE: Fault("a truth value where a text or number belongs", "Write it as a text or number."),
    Code.DUPLICATED_MEMBER: Fault("an object that names a member twice", "Delete one of them."),
    Code.NOT_A_DATASET: Fault("a folder that `save_to_disk` did not write", "Give a file, or such a folder."),
    Code.WHICH_SPLIT: Fault("several splits, or not the requested one", "Choose: --split test."),
    Code.DAMAGED_DATASET: Fault("a datasets folder that cannot be read", "Save it to disk again."),
    Code.DAMAGED_FILE: Fault("a workbook or Parquet file that cannot be read", "Save it again, or save it as CSV."),
    Code.FILE_TOO_LARGE: Fault(
        "a file that takes too much memory when it is unpacked", "Save it as CSV, or in several files."
    ),
    Code.MERGED_CELLS: Fault("merged cells below the header", "Unmerge them and fill each row."),
    Code.FORMULA_CELL: Fault(
        "a formula without its value", "Open the file in the spreadsheet program and save it, or save it as CSV."
    ),
    Code.DATE_CELL: Fault(
        "a date in a column that is read",
        "Format the column as text and enter the values again: 1-2 may have become a date.",
    ),
    Code.NO_TEXTS_IN_LAYOUT: Fault(
        "a known kind of file that holds neither texts nor ratings", "Give the file that holds them."
    ),
    Code.EMPTY_TEXT: Fault("a text without characters", "Fill it in or delete the row."),
    Code.BLANK_TEXT: Fault("a text in which nothing can be seen", "Fill it in or delete the row."),
    Code.EMPTY_ID: Fault("a row without an id", "Give each row an id of its own."),
    Code.MANGLED_ID: Fault(
        "an id that a spreadsheet rounded or replaced", "Export again with the column formatted as text."
    ),
    Code.DATE_LIKE_ID: Fault(
        "an id that looks like a date", "Check whether a spreadsheet turned it into one.", warns=True
    ),
    Code.INVISIBLE_IN_ID: Fault("an id or a name with an invisible character", "Delete the character."),
    Code.DUPLICATE_ID: Fault("a duplicate id", "Give each row an id of its own."),
    Code.SPREADSHEET_ERROR: Fault(
        "a spreadsheet's error value in place of a text", "Export again with the column formatted as text."
    ),
    Code.MISSING_WORD: Fault(
        "a missing-value marker instead of a text", "Check whether the text is missing.", warns=True
    ),
    Code.DAMAGED_LETTERS: Fault(
        "garbled characters (wrong encoding)", "Export again in UTF-8 from the original.", warns=True
    ),
    Code.TEXT_TOO_LONG: Fault("a text over its limit", "Shorten it. It is too long for a HIT."),
    Code.CONTEXT_TOO_LONG: Fault("a context over its limit", "Shorten it."),
    Code.CELL_TOO_LONG: Fault("a cell over its limit", "Shorten it."),
    Code.CONTROL_CHARACTER: Fault("a control character", "Delete it; only line breaks and tabs may stay."),
    Code.LONE_SURROGATE: Fault("half a character", "The file was cut inside a character: export it again."),
    Code.MARKUP: Fault(
        "HTML that could break out of the page",
        "Turn it into plain text, or take it as it is, shown with its tags: --allow markup.",
        page=f"Turn it into plain text, or take it as it is, shown with its tags: {_tick_advice(Code.MARKUP)}.",
    ),
    Code.UNKNOWN_SOURCE: Fault(
        "a source that is neither reference nor model",
        "Say what the word means: --source human=reference.",
        page="Say what the word means in “Names of sources in your file”: human = reference.",
    ),
    Code.MISSING_GENERATOR: Fault(
        "a model's text without its generator",
        "Fill the column, or --generator NAME.",
        page="Fill the column, or the field “Generator”.",
    ),
    Code.UNKNOWN_GENERATOR: Fault("a generator that no model text has", "Correct the name."),
    Code.TWO_DECODINGS: Fault("one generator, two decodings", "Name each setting as a generator of its own."),
    Code.CONTEXT_DIFFERS: Fault("one context, two wordings", "Give each wording a context of its own."),
    Code.LOG_P_ABOVE_ZERO: Fault("log p above 0", "Give natural logarithms of probabilities, not costs or scores."),
    Code.LOG_P_NOT_A_NUMBER: Fault("log p is not a number", "Write digits with a decimal point."),
    Code.LOG_P_NAN: Fault("log p is NaN", "Score the text again, or leave the cell empty."),
    Code.LOG_P_INFINITE: Fault("log p is infinite", "Only -inf, a probability of zero, is allowed."),
    Code.LOG_P_WHOSE: Fault(
        "a reference's log p that may belong to several generators",
        "Give a file of its own: --likelihoods FILE.",
        page="Give a file of its own, in the field “File of log-probabilities”.",
    ),
    Code.DUPLICATE_LOG_P: Fault("two log p of one text and generator", "Delete one of them."),
    Code.UNKNOWN_TEXT: Fault("an id that no text has", "Correct the id."),
    Code.MISSING_LOG_P: Fault("a row of likelihoods without log p", "Fill it in or delete the row."),
    Code.DECODING_DIFFERS: Fault(
        "a text drawn one way and scored another", "Score it under the distribution it was drawn from.", warns=True
    ),
    Code.LENGTH_NOT_POSITIVE: Fault("a length of 0 or less", "Count what log p is a sum over; at least 1."),
    Code.LENGTH_NOT_INTEGER: Fault("a length that is not a whole number", "Count what log p is a sum over."),
    Code.LENGTH_MISSING: Fault("model tokens without their number", "Fill the column length."),
    Code.LENGTH_UNIT_MISSING: Fault("a length without its unit", "Use whitespace, model_token or char."),
    Code.LENGTH_UNIT_UNKNOWN: Fault("an unknown unit of length", "Use whitespace, model_token or char."),
    Code.NEGATIVE_FREQUENCY: Fault("a corpus frequency below its minimum", "Give a count, not a logarithm."),
    Code.FREQUENCY_NOT_INTEGER: Fault("a corpus frequency that is not a whole number", "Give a count, not a share."),
    Code.FREQUENCY_ABOVE_CORPUS: Fault("a frequency above the corpus size", "Check both columns."),
    Code.NUMBER_TOO_LARGE: Fault("a number too large to be stored", "Check the column."),
    Code.DUPLICATE_TEXT: Fault(
        "the same text of the same source in the same context",
        "Delete one, or keep repeated draws of a model: --allow duplicate-text.",
        page=f"Delete one, or keep repeated draws of a model: {_tick_advice(Code.DUPLICATE_TEXT)}.",
    ),
    Code.BOTH_SOURCES: Fault("the same text under both sources", "Check whether a source is wrong.", warns=True),
    Code.UNPAIRED_CONTEXT: Fault(
        "a context without a reference, or without a model's text",
        "Add the other side; if it comes in another file: --allow unpaired-context.",
        page=f"Add the other side; if it comes in another file: {_tick_advice(Code.UNPAIRED_CONTEXT)}.",
    ),
    Code.TWO_REFERENCES: Fault(
        "two references for one context",
        "Delete one, or give each a context; else --allow two-references.",
        page=f"Delete one, or give each a context; else {_tick_advice(Code.TWO_REFERENCES)}.",
    ),
    Code.SAME_REFERENCE: Fault(
        "one reference text under two contexts",
        "Check the column of contexts. If the contexts share the reference, no action is needed.",
        warns=True,
    ),
    Code.INCOMPLETE_CONTEXT: Fault(
        "contexts for which a generator has no text", "Add them if you compare generators in pairs.", warns=True
    ),
    Code.ID_IN_STUDY: Fault("an id that the study has already", "Choose other ids, or another study."),
    Code.DIFFERS_FROM_STUDY: Fault(
        "a generator's decoding or a context's wording is another in the study", "Give it a name of its own."
    ),
}

ALLOWABLE = frozenset(PROBLEM_NAMES)
