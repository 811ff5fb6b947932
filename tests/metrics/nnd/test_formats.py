"""Published annotations become the published numbers of tests; malformed files are refused by row and column."""

from __future__ import annotations

import json

import pytest

from metrics.errors import BadInput, InsufficientData
from metrics.likelihood.records import Scored
from metrics.nnd.build import Options
from metrics.nnd.documents import read_tests
from metrics.nnd.documents import tests_json as stored_tests
from metrics.nnd.formats.challenge300 import challenge300_tests
from metrics.nnd.formats.frank import frank_tests
from metrics.nnd.formats.mqm import mqm_tests
from metrics.nnd.formats.quiz_design import quiz_design_tests
from metrics.nnd.formats.summeval import ATTRIBUTES, summeval_tests
from metrics.nnd.formats.table import table_tests
from metrics.nnd.orders import Numbers, Ranks
from metrics.nnd.scores import FromModel, candidates_of


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def ids(tests):
    return [(test.high.id, test.low.id) for test in tests.tests]


# Quiz Design


def group(name=0, answer="the answer", **questions):
    listed = [{"question": text, "reason": label} for text, label in questions.items()]
    return {"group_id": name, "answer_span": answer, "context": "Some context.", "questions": listed}


@pytest.mark.needs_data
def test_quiz_design_gives_2686_tests_and_their_categories(data_dir):
    tests = quiz_design_tests(data_dir / "qgen" / "quiz_design_groups.jsonl")
    assert len(tests) == 2686
    assert tests.by_category == {"wrong_context": 1085, "off_target": 890, "disfluent": 711}
    assert (tests.contexts, tests.candidates) == (452, 2458)
    assert sum(test.high_first for test in tests.tests) == 1381
    # Any two different labels would give 3,600 pairs.
    assert tests.skipped["unordered"] == 3600 - 2686


@pytest.mark.needs_data
def test_26_quiz_design_tests_differ_only_in_case(data_dir):
    path = data_dir / "qgen" / "quiz_design_groups.jsonl"
    assert len(quiz_design_tests(path, options=Options(fold_case=True))) == 2686 - 26


def test_a_question_given_twice_in_a_group_counts_once(tmp_path):
    row = group(a="No error", b="disfluent")
    row["questions"].append({"question": "a", "reason": "No error"})
    assert ids(quiz_design_tests(lines(tmp_path / "f.jsonl", [row]))) == [("0/0", "0/1")]


def test_the_template_lays_out_answer_and_context_as_they_are(tmp_path):
    path = lines(tmp_path / "f.jsonl", [group(answer="{context}", a="No error", b="disfluent")])
    tests = quiz_design_tests(path, template="{context} | {answer}")
    assert tests.tests[0].high.context == "Some context. | {context}"
    with pytest.raises(BadInput, match=r"must hold \{context\}"):
        quiz_design_tests(path, template="{answer}")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([group(a="No error"), group(b="disfluent")], "row 2, column group_id: duplicate group '0', first in row 1"),
        ([{**group(a="No error"), "context": 7}], "row 1, column context: a text was expected"),
        ([{**group(a="No error"), "answer_span": " "}], "row 1, column answer_span: the text is blank"),
        ([{**group(), "questions": {}}], "row 1, column questions: a list was expected"),
        ([{**group(), "questions": ["a"]}], "row 1, column questions: an object was expected"),
        ([{"group_id": True}], "row 1, column group_id: a text was expected"),
        ([{"group_id": 1, "answer_span": "a"}], "row 1, column context: the key is missing"),
        ([["group"]], "row 1: a JSON object was expected"),
        ([], "the file holds no record"),
    ],
)
def test_a_malformed_quiz_design_file_is_refused(tmp_path, rows, words):
    with pytest.raises(BadInput, match=words):
        quiz_design_tests(lines(tmp_path / "f.jsonl", rows))


def test_a_question_with_two_labels_is_refused(tmp_path):
    row = group(a="No error")
    row["questions"].append({"question": "a", "reason": "disfluent"})
    with pytest.raises(BadInput, match="labeled 'No error' and 'disfluent'"):
        quiz_design_tests(lines(tmp_path / "f.jsonl", [row]))


# FRANK


@pytest.mark.needs_data
@pytest.mark.parametrize(
    ("dataset", "split", "count"),
    [
        ("cnndm", "test", 832),
        ("bbc", "test", 128),
        ("all", "test", 960),
        ("cnndm", "valid", 336),
        ("cnndm", "all", 1168),
    ],
)
def test_frank_gives_the_reference_numbers(data_dir, dataset, split, count):
    path = data_dir / "frank" / "human_annotations.json"
    assert len(frank_tests(path, dataset=dataset, split=split)) == count


@pytest.mark.needs_data
def test_frank_counts_tests_by_the_groups_their_worse_summary_carries(data_dir):
    tests = frank_tests(data_dir / "frank" / "human_annotations.json")
    assert (tests.contexts, tests.candidates) == (175, 875)
    assert tests.by_combination == {
        "semantic_frame": 272,
        "semantic_frame + discourse + verifiability + other": 250,
        "discourse": 117,
        "verifiability": 112,
        "semantic_frame + discourse": 33,
        "semantic_frame + verifiability": 27,
        "discourse + verifiability": 16,
        "semantic_frame + discourse + verifiability": 5,
    }
    assert tests.by_category["semantic_frame"] == 272 + 250 + 33 + 27 + 5


def summary(name, system, **shares):
    columns = ("Semantic_Frame_Errors", "Discourse_Errors", "Content_Verifiability_Errors", "Other")
    leaves = ("RelE", "EntE", "CircE", "CorefE", "LinkE", "OutE", "GramE")
    values = dict.fromkeys((*columns, *leaves), 1.0) | shares
    good = float(all(value == 1 for value in values.values()))
    return {"hash": name, "model_name": system, "dataset": "cnndm", "split": "test", "Factuality": good, **values}


SUMMARIES = [summary("h", "a"), summary("h", "b", Semantic_Frame_Errors=0.5, RelE=0.5, EntE=0.0), summary("i", "a")]


def test_frank_takes_its_texts_from_a_second_file_and_leaves_as_categories(tmp_path):
    (tmp_path / "f.json").write_text(json.dumps(SUMMARIES))
    texts = [
        {"hash": s["hash"], "model_name": s["model_name"], "article": "News.", "summary": s["model_name"]}
        for s in SUMMARIES
    ]
    (tmp_path / "t.json").write_text(json.dumps(texts))
    tests = frank_tests(tmp_path / "f.json", tmp_path / "t.json", level="leaf")
    assert tests.by_category == {"EntE": 1, "RelE": 1}
    assert (tests.tests[0].high.text, tests.tests[0].high.context, tests.flags) == ("a", "News.", ())
    (tmp_path / "t.json").write_text(json.dumps(texts[:1]))
    with pytest.raises(BadInput, match="row 2, column hash: the file of texts has no summary h/b"):
        frank_tests(tmp_path / "f.json", tmp_path / "t.json")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (summary("h", "a"), "row 4, column hash: duplicate summary h/a, first in row 1"),
        (summary("h", "c") | {"Factuality": 0.5}, "row 4, column Factuality: the summary has an error of no kind"),
        (summary("h", "c") | {"Other": 0.5}, "column Factuality: the summary is free of errors and carries one"),
        (summary("h", "c") | {"Other": 2}, "column Other: a share lies between 0 and 1"),
        (summary("h", "c") | {"Other": "x"}, "column Other: a finite number was expected"),
    ],
)
def test_a_malformed_frank_file_is_refused(tmp_path, row, words):
    (tmp_path / "f.json").write_text(json.dumps([*SUMMARIES, row]))
    with pytest.raises(BadInput, match=words):
        frank_tests(tmp_path / "f.json")


# SummEval


def rated(document, model, *ratings):
    """Three experts; ratings: one list of three a attribute, in the order of the attributes."""
    scores = [{name: values[at] for name, values in zip(ATTRIBUTES, ratings, strict=True)} for at in range(3)]
    low = [dict.fromkeys(ATTRIBUTES, 1)] * 5
    return {
        "id": document,
        "model_id": model,
        "decoded": f"{document} {model}",
        "expert_annotations": scores,
        "turker_annotations": low,
    }


def summeval_rows():
    high, low = [5, 5, 4], [5, 4, 4]
    return [
        rated("d", "M0", high, high, high, high),
        rated("d", "M1", high, low, low, low),
        rated("d", "M2", low, low, low, low),
        rated("d", "M3", low, high, low, low),
        rated("e", "M4", low, low, low, low),
        rated("e", "M5", high, high, high, high),
    ]


def test_summeval_compares_majorities_of_fives_within_each_attribute_of_the_odd_rows(tmp_path):
    tests = summeval_tests(lines(tmp_path / "f.jsonl", summeval_rows()))
    # Odd rows: M1, M3 of d and M5 of e.
    assert ids(tests) == [("d/M1", "d/M3"), ("d/M3", "d/M1")]
    assert tests.by_category == {"coherence": 1, "consistency": 1}
    assert tests.skipped["summaries_of_the_other_half"] == 3


def test_summeval_takes_all_rows_where_asked(tmp_path):
    tests = summeval_tests(lines(tmp_path / "f.jsonl", summeval_rows()), split="all")
    assert tests.by_category == {"consistency": 2 * 2 + 1, "coherence": 2 * 2 + 1, "fluency": 3 + 1, "relevance": 3 + 1}


def test_summeval_by_workers_uses_their_ratings(tmp_path):
    with pytest.raises(InsufficientData, match="same_quality"):
        summeval_tests(lines(tmp_path / "f.jsonl", summeval_rows()), annotators="turker")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"expert_annotations": []}, "row 2, column expert_annotations: the summary has no rating"),
        ({"expert_annotations": [dict.fromkeys(ATTRIBUTES, 6)]}, "a rating of consistency lies between 1 and 5"),
        ({"expert_annotations": [{"consistency": 5}]}, "row 2, column coherence: the key is missing"),
        ({"model_id": "M0"}, "row 2, column model_id: duplicate summary d/M0, first in row 1"),
    ],
)
def test_a_malformed_summeval_file_is_refused(tmp_path, change, words):
    rows = summeval_rows()
    rows[1] |= change
    with pytest.raises(BadInput, match=words):
        summeval_tests(lines(tmp_path / "f.jsonl", rows))


# Challenge 300

CHALLENGE = "id\tquestion\tcategory\tA\tB\tC\tcredit-A\tcredit-B\tcredit-C\n"
ROWS = "1\tWhy?\tscience\tyes\tno\tperhaps\t1\t0\t0.5\n2\tWhen?\tWinograd\tnow\tnever\tonce\t0\t1\t1\n"


def test_challenge_300_pairs_full_with_no_credit_in_five_groups(tmp_path):
    (tmp_path / "f.tsv").write_text(CHALLENGE + ROWS)
    tests = challenge300_tests(tmp_path / "f.tsv")
    assert ids(tests) == [("1/A", "1/B"), ("2/B", "2/A"), ("2/C", "2/A")]
    assert tests.by_category == {"Common Sense": 2, "Science": 1}
    assert tests.skipped == {"answers_of_half_credit": 1, "same_quality": 1}


# As challenge300-outputs.tsv is laid out: every text in quotation marks, answers of models that nobody credited, a
# column of nothing before the credits. The second answer of the second question is blank and was judged wrong.
PUBLISHED = (
    '"id"\t"question"\t"category"\t"A"\t"Small"\t"B"\t"C"\t"Credits->"\t"credit-A"\t"credit-B"\t"credit-C"\n'
    '"probes-1"\t"Does tea float?"\t"commonsense"\t"no"\t"tea"\t"yes"\t"It is ""wet""."\t""\t1\t0\t0.2\n'
    '"probes-2"\t"Can you sit and stand?"\t"Winograd"\t"No."\t"so"\t""\t"yes, at once"\t""\t1\t0\t0.5\n'
)


def published_challenge(folder):
    (folder / "challenge300-outputs.tsv").write_text(PUBLISHED)
    return challenge300_tests(folder / "challenge300-outputs.tsv")


def test_the_published_challenge_300_layout_counts_other_credits_and_keeps_a_blank_wrong_answer(tmp_path):
    tests = published_challenge(tmp_path)
    assert ids(tests) == [("probes-1/A", "probes-1/B"), ("probes-2/A", "probes-2/B")]
    assert tests.tests[1].low.text == ""
    assert tests.skipped == {"answers_of_half_credit": 1, "answers_of_other_credit": 1}


def test_a_blank_answer_is_stored_and_a_model_is_not_asked_for_it(tmp_path):
    tests = published_challenge(tmp_path)
    (tmp_path / "tests.json").write_text(json.dumps(stored_tests(tests)))
    assert read_tests(tmp_path / "tests.json").tests == tests.tests
    asked = FromModel(lambda pairs: [Scored(-1.0, 1) if answer.strip() else None for _, answer in pairs])
    scores = asked.of(candidates_of(tests))
    assert [scored is None for scored in scores] == [not one.text for one in candidates_of(tests)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CHALLENGE.replace("credit-", "score-") + ROWS, "no column begins with 'credit-'"),
        (CHALLENGE.replace("\tC\t", "\tD\t") + ROWS, "column C: the column is missing for credit-C"),
        (CHALLENGE + ROWS.replace("0.5", "1.5"), "row 2, column credit-C: the credit must lie between 0 and 1"),
        (CHALLENGE + ROWS.replace("2\tWhen", "1\tWhen"), "row 3, column id: duplicate question '1', first in row 2"),
    ],
)
def test_a_malformed_challenge_300_file_is_refused(tmp_path, text, words):
    (tmp_path / "f.tsv").write_text(text)
    with pytest.raises(BadInput, match=words):
        challenge300_tests(tmp_path / "f.tsv")


# MQM

MQM = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"


def mqm_row(system, target, category, severity="Minor", segment=1):
    return f'{system}\tnews\t1\t{segment}\tr\tA "source\t{target}\t{category}\t{severity}\n'


MQM_ROWS = [
    mqm_row("A", "Ein Satz.", "No-error", "no-error"),
    mqm_row("B", "Ein <v>Satzz</v>.", "Fluency/Spelling"),
    mqm_row("B", "<v>Ein</v> Satzz.", "Accuracy/Mistranslation", "Major"),
    mqm_row("C", "Ein Satz<v>.</v>", "Fluency/Punctuation"),
]


def test_mqm_pairs_rows_without_an_error_with_rows_with_one(tmp_path):
    (tmp_path / "f.tsv").write_text(MQM + "".join(MQM_ROWS) + "too\tfew\n" + mqm_row("D", "<v></v>", "Other"))
    tests = mqm_tests(tmp_path / "f.tsv")
    assert tests.by_category == {"Accuracy/Mistranslation": 1, "Fluency/Spelling": 1}
    assert tests.tests[0].low.text == "Ein Satzz."
    assert tests.skipped == {"unordered": 3, "equal_texts": 1, "rows_of_another_width": 1, "rows_without_text": 1}


def test_mqm_by_severity_with_equal_texts_kept_counts_every_row(tmp_path):
    (tmp_path / "f.tsv").write_text(MQM + "".join(MQM_ROWS))
    tests = mqm_tests(tmp_path / "f.tsv", label="severity", options=Options(keep_equal_texts=True))
    assert tests.by_category == {"Minor": 2, "Major": 1}


def test_a_malformed_mqm_file_is_refused(tmp_path):
    (tmp_path / "f.tsv").write_text(MQM.replace("severity", "weight"))
    with pytest.raises(BadInput, match="row 1, column severity: the column is missing"):
        mqm_tests(tmp_path / "f.tsv")
    (tmp_path / "f.tsv").write_text(MQM + "".join(MQM_ROWS) + mqm_row("", "x", "Other"))
    with pytest.raises(BadInput, match="row 6, column system: the cell is blank"):
        mqm_tests(tmp_path / "f.tsv")


# Any table

TABLE = (
    "context_id,context,candidate,label,quality,category\n1,C,one,good,5,\n1,C,two,bad,2,grammar\n1,C,three,bad,2.5,\n"
)


def test_a_table_with_ranks_takes_its_categories_from_the_column(tmp_path):
    (tmp_path / "f.csv").write_text(TABLE)
    tests = table_tests(tmp_path / "f.csv", Ranks({"good": 1, "bad": 0}))
    assert ids(tests) == [("2", "3"), ("2", "4")]
    assert tests.by_category == {"bad": 1, "grammar": 1}


def test_a_table_with_numbers_uses_them_exactly(tmp_path):
    (tmp_path / "f.csv").write_text(TABLE)
    tests = table_tests(tmp_path / "f.csv", Numbers())
    assert ids(tests) == [("2", "3"), ("2", "4"), ("4", "3")]


@pytest.mark.parametrize(
    ("text", "order", "words"),
    [
        (TABLE.replace("good", "odd"), Ranks({"good": 1, "bad": 0}), "row 2, column label: the order says nothing of"),
        (TABLE.replace("label", "mark"), Ranks({"good": 1}), "column label: the column is missing"),
        (TABLE.replace(",2,", ",x,"), Numbers(), "row 3, column quality: 'x' is not a finite decimal number"),
        (TABLE.replace("two", ""), Ranks({"good": 1, "bad": 0}), "row 3, column candidate: the cell is blank"),
        (TABLE.replace("C,three", "D,three"), Ranks({"good": 1, "bad": 0}), "context 1, column context: one id"),
    ],
)
def test_a_malformed_table_is_refused(tmp_path, text, order, words):
    (tmp_path / "f.csv").write_text(text)
    with pytest.raises(BadInput, match=words):
        table_tests(tmp_path / "f.csv", order)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "row 1: this is not valid JSON"),
        (b'{"group_id": 1}\n{"a": NaN}', "row 2: this is not valid JSON"),
        (b'\n\n[1, "a"]', "row 1: a JSON object was expected"),
        (b"[" * 100_000, "row 1: (the JSON is nested too deeply|this is not valid JSON)"),
        (b'{"a": ' + b"9" * 5000 + b"}", "row 1: this is not valid JSON"),
        (b'{"a": "\xff"}', "row 1: the file is not in UTF-8; save it as JSON"),
        (b"", "holds no record"),
    ],
)
def test_bytes_that_are_no_json_are_refused_by_row(tmp_path, content, words):
    (tmp_path / "f.jsonl").write_bytes(content)
    with pytest.raises(BadInput, match=words):
        quiz_design_tests(tmp_path / "f.jsonl")
