"""`python -m metrics hscore`: Fp per text, shares, calibration, agreement with people."""

from __future__ import annotations

import json

import pytest

from metrics.__main__ import main


@pytest.fixture
def run(capsys):
    """Runs `hscore`; gives the exit code, stdout and stderr."""

    def go(*arguments: object) -> tuple[int, str, str]:
        try:
            code = main(["hscore", *map(str, arguments)])
        except SystemExit as stop:
            code = int(stop.code or 0)
        return code, *capsys.readouterr()

    return go


def refused(found: tuple[int, str, str]) -> str:
    code, out, err = found
    assert (code, out) == (2, "")
    assert (err.count("\n"), err[-2:]) == (1, ".\n")
    return err.strip()


@pytest.fixture
def files(tmp_path):
    """Six texts whose Fp are 0.2, 0.25, 0.3 (human) and 0.5, 0.6, 0.7 (machine)."""
    paths = []
    for fp in (0.2, 0.25, 0.3, 0.5, 0.6, 0.7):
        content = {
            "bpe_strings": ["<s>", "Ġa", "Ġ<b>"],
            "real_topk": [[1, fp / 2], [120, fp / 2]],
            "pred_topk": [[["x", 0.5], ["y", 0.4]]] * 2,
        }
        paths.append(tmp_path / f"t{round(fp * 100)}.json")
        paths[-1].write_text(json.dumps({"result": content}))
    return paths


def labels(tmp_path, text):
    (tmp_path / "labels.csv").write_text(text)
    return tmp_path / "labels.csv"


TRUTHS = (
    "text,truth\nt20.json,human\nt25.json,human\nt30.json,human\nt50.json,machine\nt60.json,machine\nt70.json,machine\n"
)


def test_json_holds_fp_of_each_text_and_a_loud_flag(run, files):
    code, out, err = run("--format", "gltr", *files, "--json", "--backend", "gpt2")
    document = json.loads(out)
    assert (code, err, document["flags"], document["backend"]["model"]) == (0, "", ["uncalibrated"], "gpt2")
    fps = [text["fp"] for text in document["texts"].values()]
    assert fps == pytest.approx([0.2, 0.25, 0.3, 0.5, 0.6, 0.7])
    assert (document["h"]["value"], document["m"]["value"], document["u"]["value"]) == (0.5, 0.5, 0.0)
    assert document["mean_fp"]["value"] == pytest.approx(2.55 / 6)


def test_the_table_shouts_that_it_is_uncalibrated_and_names_no_backend(run, files):
    _, out, _ = run("--format", "gltr", *files)
    assert out.startswith("UNCALIBRATED")
    assert "backend: not recorded" in out
    _, out, _ = run("--format", "gltr", *files, "--json")
    assert json.loads(out)["flags"] == ["uncalibrated", "backend_not_recorded"]


def test_calibration_takes_the_flag_away_and_shows_what_it_is_worth(run, files, tmp_path):
    _, out, _ = run("--format", "gltr", *files, "--json", "--calibrate", labels(tmp_path, TRUTHS), "--band")
    document = json.loads(out)
    assert document["calibration"]["threshold"] == pytest.approx(0.5)
    assert document["calibration"]["auc"]["value"] == 1.0
    assert (document["thresholds"]["low"], document["thresholds"]["high"]) == pytest.approx((0.25, 0.6))
    assert "uncalibrated" not in document["h"]["flags"]
    assert not run("--format", "gltr", *files, "--calibrate", labels(tmp_path, TRUTHS))[1].startswith("UNCALIBRATED")


def test_two_thresholds_leave_a_band_undecided(run, files):
    _, out, _ = run("--format", "gltr", *files, "--json", "--threshold", "0.25:0.6")
    document = json.loads(out)
    assert [document[name]["value"] for name in ("h", "u", "m")] == pytest.approx([1 / 6, 3 / 6, 2 / 6])


def test_people_are_compared(run, files, tmp_path):
    (tmp_path / "people.csv").write_text("text,human_share\nt20.json,0.9\nt50.json,0.2\nt60.json,0.7\n")
    _, out, _ = run("--format", "gltr", *files, "--json", "--people", tmp_path / "people.csv")
    people = json.loads(out)["people"]
    assert people["agreement"]["value"] == pytest.approx(2 / 3)
    assert people["auc"]["value"] == 0.5


def test_the_page_is_written_whole_and_escaped(run, files, tmp_path):
    run("--format", "gltr", *files, "--page", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Uncalibrated." in page
    assert '<span class="b2" title="p 0.1, likeliest 0.5, rank 121"> &lt;b&gt;</span>' in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--threshold", "x"), "--threshold: FP or FP:FP was expected"),
        (("--threshold", "0.6:0.5"), "the lower one first"),
        (("--threshold", "0.1:0.2:0.3"), "one or two thresholds were expected"),
        (("--model", "gpt2"), "--backend names the model"),
        (("--level", "2"), "column level"),
    ],
)
def test_odd_options_are_refused_in_one_sentence(run, files, options, words):
    assert words in refused(run("--format", "gltr", *files, *options))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TRUTHS.replace("t20", "t99"), "row 2, column text: no text is called 't99.json'"),
        (TRUTHS.replace(",machine", ",robot"), "row 5, column truth: the truth must be 'human' or 'machine'"),
        (TRUTHS + "t20.json,human\n", "row 8, column text: duplicate text 't20.json', first in row 2"),
        ("text,truth\nt20.json,human\n", "natural needs at least 2 texts"),
    ],
)
def test_malformed_labels_are_refused_by_row(run, files, tmp_path, text, words):
    assert words in refused(run("--format", "gltr", *files, "--calibrate", labels(tmp_path, text)))


def test_a_file_that_is_no_gltr_output_is_refused(run, tmp_path):
    (tmp_path / "t.json").write_text('{"result": 5}')
    assert "t.json, row 1, column result: an object was expected" in refused(
        run("--format", "gltr", tmp_path / "t.json")
    )


def test_plain_texts_need_a_model_and_something_to_read(run, tmp_path):
    (tmp_path / "t.txt").write_text(" \n")
    assert "plain texts need a model" in refused(run("--format", "text", tmp_path / "t.txt"))
    assert "t.txt holds no text" in refused(run("--format", "text", tmp_path / "t.txt", "--model", "none"))


def test_two_files_of_one_name_are_refused(run, files):
    assert "two files are called" in refused(run("--format", "gltr", files[0], files[0]))


@pytest.mark.needs_data
def test_the_samples_of_gltr_have_the_reference_fp(run, data_dir):
    path = data_dir / "gltr" / "unicorn.json"
    _, out, _ = run("--format", "gltr", path, "--json")
    assert json.loads(out)["texts"]["unicorn.json"]["fp"] == pytest.approx(0.5371088039374448, abs=1e-12)
