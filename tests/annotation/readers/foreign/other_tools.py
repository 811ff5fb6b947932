"""Small files as other tools write them: the same four prompts, four texts by people and four by a model."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

PROMPTS = [f"Write one sentence about {what}." for what in ("rain", "a bridge", "a storm", "bread")]
HUMAN = [
    "rain delays the final of the cup",
    "the mayor opens a new bridge today",
    "three storms cross the northern coast",
    "a bakery gives bread to its neighbours",
]
MODEL = [
    "the final is delayed by heavy rain",
    "a new bridge opened by the mayor",
    "coast hit by storm after storm again",
    "neighbours get bread from the bakery",
]
OTHER = [f"{text} indeed" for text in MODEL]
BOTH, MODELS_ONLY, THREE = 8, 4, 12
Row = Sequence[Any]


class Brought(NamedTuple):
    """A file, the number of texts that it holds, and the layout as which it is recognised ("" for none)."""

    name: str
    write: Callable[[Path], None]
    texts: int
    layout: str = ""


def _csv(rows: Sequence[Row], sign: str = ",") -> str:
    return "".join(sign.join(str(cell) for cell in row) + "\n" for row in rows)


def _lines(records: Sequence[dict[str, Any]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


WIDE: list[Row] = [("prompt", "human", "gpt2", "ctrl"), *zip(PROMPTS, HUMAN, MODEL, OTHER, strict=True)]
LONG: list[Row] = [("story", "author", "prompt")] + [
    row for at in range(4) for row in ((HUMAN[at], "human", PROMPTS[at]), (MODEL[at], "gpt2", PROMPTS[at]))
]


def text_file(content: str, encoding: str = "utf-8") -> Callable[[Path], None]:
    return lambda path: path.write_bytes(content.encode(encoding)) and None


def workbook(rows: Sequence[Row], *, sheets: int = 1) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        import openpyxl

        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(list(row))
        for at in range(1, sheets):
            book.create_sheet(f"Notes {at}").append(["nothing"])
        book.save(path)

    return write


def open_document(rows: Sequence[Row], *, cell: Callable[[Any], str] | None = None) -> Callable[[Path], None]:
    """As LibreOffice writes it, with the million blank rows that it puts at the end."""
    names = "xmlns:office='urn:oasis:names:tc:opendocument:xmlns:office:1.0' " + " ".join(
        f"xmlns:{name}='urn:oasis:names:tc:opendocument:xmlns:{name}:1.0'" for name in ("table", "text")
    )

    def plain(value: Any) -> str:
        return f"<table:table-cell office:value-type='string'><text:p>{value}</text:p></table:table-cell>"

    body = "".join(f"<table:table-row>{''.join(map(cell or plain, row))}</table:table-row>" for row in rows)
    blank = "<table:table-cell table:number-columns-repeated='16384'/>"
    end = f"<table:table-row table:number-rows-repeated='1048000'>{blank}</table:table-row>"
    content = (
        f"<?xml version='1.0'?><office:document-content {names}><office:body><office:spreadsheet>"
        f"<table:table table:name='Sheet1'>{body}{end}</table:table>"
        "</office:spreadsheet></office:body></office:document-content>"
    )

    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", zipfile.ZIP_STORED)
            archive.writestr("content.xml", content)

    return write


def parquet(records: Sequence[dict[str, Any]]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(list(records)), path)

    return write


def dataset(records: Sequence[dict[str, Any]]) -> Callable[[Path], None]:
    """A folder as `save_to_disk` of the datasets library leaves it."""

    def write(path: Path) -> None:
        import pyarrow as pa

        path.mkdir()
        table = pa.Table.from_pylist(list(records))
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        (path / "data-00000-of-00001.arrow").write_bytes(sink.getvalue())
        state = {"_data_files": [{"filename": "data-00000-of-00001.arrow"}], "_split": None}
        (path / "state.json").write_text(json.dumps(state))
        (path / "dataset_info.json").write_text(json.dumps({"features": {}}))

    return write


HARNESS = [
    {
        "doc_id": at,
        "doc": {"question": PROMPTS[at], "answer": HUMAN[at]},
        "target": HUMAN[at],
        "arguments": {"gen_args_0": {"arg_0": f"Q: {PROMPTS[at]}", "arg_1": {"until": ["\n"]}}},
        "resps": [[f" {MODEL[at]}"]],
        "filtered_resps": [MODEL[at]],
        "filter": "none",
        "doc_hash": f"{at:064x}",
    }
    for at in range(4)
]
ALPACA = [
    {"dataset": "helpful_base", "instruction": PROMPTS[at], "output": MODEL[at], "generator": "gpt4"} for at in range(4)
]
MT_BENCH = [
    {
        "question_id": 81 + at,
        "answer_id": f"a{at}",
        "model_id": "vicuna-13b",
        "choices": [{"index": 0, "turns": [MODEL[at], "A second turn."]}],
        "tstamp": 1686286924.6,
    }
    for at in range(4)
]
MT_QUESTIONS = [
    {"question_id": 81 + at, "category": "writing", "turns": [PROMPTS[at], "Rewrite it."]} for at in range(4)
]
LABEL_STUDIO = [
    {
        "id": 100 + at,
        "data": {"text": MODEL[at], "prompt": PROMPTS[at]},
        "annotations": [
            {
                "id": 10 * at + who,
                "completed_by": who,
                "result": [{"type": "rating", "from_name": "typical", "to_name": "text", "value": {"rating": 2 + who}}],
                "lead_time": 5.5,
            }
            for who in (1, 2)
        ],
    }
    for at in range(4)
]
ARGILLA = [
    {
        "id": f"rec-{at}",
        "fields": {"prompt": PROMPTS[at], "response": MODEL[at]},
        "metadata": {"model": "zephyr"},
        "responses": {"quality": [{"value": 3, "user_id": "u1", "status": "submitted"}]},
        "status": "completed",
    }
    for at in range(4)
]
ARGILLA_DATASET = [
    {"id": f"rec-{at}", "prompt": PROMPTS[at], "response": MODEL[at], "quality.responses": [3, 4]} for at in range(4)
]
POTATO = [
    {
        "id": f"p{at}",
        "displayed_text": MODEL[at],
        "label_annotations": {"quality": {"scale_4": "4"}},
        "span_annotations": {},
        "behavioral_data": {"time_string": "Time spent: 0d 0h 0m 5s "},
    }
    for at in range(4)
]
JUDGE_BENCH = {
    "dataset": "example",
    "dataset_url": "https://example.org",
    "annotations": [{"metric": "fluency", "category": "graded", "prompt": "Rate it.", "worst": 1, "best": 5}],
    "instances": [
        {
            "id": at,
            "instance": {"context": PROMPTS[at], "response": MODEL[at]},
            "annotations": {"fluency": {"mean_human": 3.5, "individual_human_scores": [3, 4]}},
        }
        for at in range(4)
    ],
}
RECORDS = [{"prompt": PROMPTS[at], "human": HUMAN[at], "gpt2": MODEL[at]} for at in range(4)]
META = [
    {"text": text, "meta": {"prompt": PROMPTS[at], "source": who}}
    for at in range(4)
    for text, who in ((HUMAN[at], "human"), (MODEL[at], "model"))
]
GERMAN: list[Row] = [
    ("prompt", "human", "model"),
    *((PROMPTS[at], f"{HUMAN[at]}, schön über Straßen", f"{MODEL[at]}, größer für Bäcker") for at in range(4)),
]
CZECH: list[Row] = [
    ("prompt", "human", "model"),
    *((PROMPTS[at], f"{HUMAN[at]} příliš žluťoučký kůň", f"{MODEL[at]} úpěl ďábelské ódy {at}") for at in range(4)),
]
JAPANESE: list[Row] = [
    ("prompt", "human", "model"),
    *(
        (
            PROMPTS[at],
            f"明日はとても天気が良く、道は 乾いている でしょう。{at}",
            f"道は 明日 乾いている と思います。{at}",
        )
        for at in range(4)
    ),
]

TWENTY = (
    Brought("wide.csv", text_file(_csv(WIDE)), THREE),
    Brought("wide.tsv", text_file(_csv(WIDE, "\t")), THREE),
    Brought("long.csv", text_file(_csv(LONG)), BOTH),
    Brought("german.csv", text_file(_csv(GERMAN, ";"), "cp1252"), BOTH),
    Brought("czech.csv", text_file(_csv(CZECH, ";"), "cp1250"), BOTH),
    Brought("japanese.csv", text_file(_csv(JAPANESE), "shift_jis"), BOTH),
    Brought("utf16.txt", text_file(_csv(WIDE, "\t"), "utf-16"), THREE),
    Brought("wide.xlsx", workbook(WIDE), THREE),
    Brought("long.xlsx", workbook(LONG, sheets=2), BOTH),
    Brought("wide.ods", open_document(WIDE), THREE),
    Brought("wide.parquet", parquet(RECORDS), BOTH),
    Brought("nested.jsonl", text_file(_lines(META)), BOTH),
    Brought("list.json", text_file(json.dumps(RECORDS, indent=2)), BOTH),
    Brought("samples_task.jsonl", text_file(_lines(HARNESS)), BOTH, "lm-evaluation-harness"),
    Brought("model_outputs.json", text_file(json.dumps(ALPACA, indent=2)), MODELS_ONLY, "AlpacaEval"),
    Brought("vicuna-13b.jsonl", text_file(_lines(MT_BENCH)), MODELS_ONLY, "MT-Bench"),
    Brought("project-1.json", text_file(json.dumps(LABEL_STUDIO)), MODELS_ONLY, "Label Studio"),
    Brought("argilla.json", text_file(json.dumps(ARGILLA)), MODELS_ONLY, "Argilla"),
    Brought("annotated_instances.jsonl", text_file(_lines(POTATO)), MODELS_ONLY, "Potato"),
    Brought("judge_bench.json", text_file(json.dumps(JUDGE_BENCH, indent=1)), MODELS_ONLY, "JUDGE-BENCH"),
)
FOLDERS = (
    Brought("dataset", dataset(RECORDS), BOTH),
    Brought("argilla_dataset", dataset(ARGILLA_DATASET), MODELS_ONLY, "Argilla"),
)

QUALTRICS = (
    "StartDate,EndDate,Status,Progress,Duration (in seconds),Finished,ResponseId,Q1,Q2\n"
    '"Start Date","End Date","Response Type",Progress,"Duration (in seconds)",Finished,"Response ID",'
    '"How natural is: rain delays the final?","How natural is: the mayor opens it?"\n'
    + ",".join(f'"{{""ImportId"":""{name}""}}"' for name in ("a", "b", "c", "d", "e", "f", "_recordId", "QID1", "QID2"))
    + "\n2024-05-01 10:00:00,2024-05-01 10:05:00,0,100,300,1,R_1,4,2\n"
    "2024-05-01 11:00:00,2024-05-01 11:04:00,0,100,240,1,R_2,5,1\n"
)
GOOGLE_FORMS = (
    "Timestamp,Email Address,How natural is text A?,How natural is text B?\n"
    "5/1/2024 10:00:00,a@example.org,4,Strongly disagree\n5/1/2024 11:00:00,b@example.org,5,Agree\n"
)
PROLIFIC = (
    "Submission id,Participant id,Status,Started at,Completed at,Time taken,Completion code\n"
    "s1,p1,APPROVED,2024-05-01T10:00:00Z,2024-05-01T10:05:00Z,300,ABC\n"
)
RATED = (
    ("qualtrics.csv", QUALTRICS, 2, 4, "Qualtrics"),
    ("form.csv", GOOGLE_FORMS.replace("Strongly disagree", "2").replace("Agree", "3"), 2, 4, "Google Forms"),
    ("project-1.json", json.dumps(LABEL_STUDIO), 4, 8, "Label Studio"),
    ("judge_bench.json", json.dumps(JUDGE_BENCH), 4, 8, "JUDGE-BENCH"),
    ("argilla.json", json.dumps(ARGILLA), 4, 4, "Argilla"),
    ("annotated_instances.jsonl", _lines(POTATO), 4, 4, "Potato"),
    ("tidy.csv", "text_id,annotator,score\nt1,ann,4\nt2,ann,2\nt1,bob,3\n", 2, 3, ""),
)
