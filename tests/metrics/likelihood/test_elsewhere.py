"""Log-probabilities made elsewhere: by a completions server, or in a file."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from metrics.errors import BadInput, MissingLogProb
from metrics.likelihood import FileStore, Scored, score_all
from metrics.likelihood.errors import EmptyText, ServerFailed
from metrics.likelihood.recorded import Recorded
from metrics.likelihood.server import CompletionsServer

PAIRS = [(f"some context {i // 2}", f" a text number {i}") for i in range(8)]


class Shape(BaseHTTPRequestHandler):
    """Answers as a completions server does: a token is a word with the space before it, log p is -len(token)/10."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers.get("Authorization"), len(asked["prompt"])))
        if self.server.fails:
            how = self.server.fails.pop(0)
            if how == "drop":
                self.close_connection = True
                return
            self.answer(how, b"{}")
            return
        choices = [{"index": i, "logprobs": told(prompt)} for i, prompt in enumerate(asked["prompt"])]
        self.answer(200, json.dumps({"choices": choices[::-1]}).encode())

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Tests print nothing."""


def told(prompt: str) -> dict[str, list]:
    starts = [0, *(i for i, letter in enumerate(prompt) if letter == " " and i)]
    words = [prompt[a:b] for a, b in zip(starts, [*starts[1:], len(prompt)], strict=True)]
    return {"tokens": words, "token_logprobs": [None, *(-len(word) / 10 for word in words[1:])], "text_offset": starts}


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Shape) as found:
        found.asked, found.fails = [], []
        thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield found
        found.shutdown()
        thread.join(timeout=10)


def client(server: ThreadingHTTPServer, **more: object) -> CompletionsServer:
    return CompletionsServer(f"http://127.0.0.1:{server.server_address[1]}/v1", model="big", timeout=10, **more)


def test_the_candidates_part_of_the_prompt_is_scored(server: ThreadingHTTPServer) -> None:
    scores = client(server, api_key="k", batch=3).score(PAIRS)
    assert [one.tokens for one in scores] == [4] * 8
    assert scores[0].log_prob == pytest.approx(-sum(map(len, (" a", " text", " number", " 0"))) / 10)
    assert server.asked == [("/v1/completions", "Bearer k", n) for n in (3, 3, 2)]


def test_the_end_of_text_counts_where_the_server_is_told_how_it_is_written(server: ThreadingHTTPServer) -> None:
    found = client(server, end=" </s>")
    assert found.score(PAIRS[:1])[0].tokens == 5
    assert found.card.layout.include_eos


def test_a_server_that_breaks_off_is_asked_again(server: ThreadingHTTPServer) -> None:
    server.fails = ["drop", 503]
    assert len(client(server).score(PAIRS)) == 8


def test_a_server_that_drops_half_way_loses_nothing(server: ThreadingHTTPServer, tmp_path: Path) -> None:
    store = FileStore(tmp_path / "scores.jsonl")
    score_all(client(server), PAIRS[:4], store=store)
    server.fails = ["drop"] * 3
    with pytest.raises(ServerFailed, match="what was scored before is kept"):
        score_all(client(server), PAIRS, store=FileStore(store.path))
    server.asked.clear()
    assert len(score_all(client(server), PAIRS, store=FileStore(store.path))) == 8
    assert sum(n for _, _, n in server.asked) == 4


def test_a_refusal_is_told_at_once(server: ThreadingHTTPServer) -> None:
    server.fails = [404]
    with pytest.raises(ServerFailed, match="answered with status 404"):
        client(server).score(PAIRS)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("pair", "error", "sentence"),
    [
        (("some context ", "without space"), ServerFailed, "begin with the space"),
        (("", "nothing before"), ServerFailed, "it has no context"),
        (("some", " "), EmptyText, "empty"),
    ],
)
def test_what_a_server_cannot_tell_is_a_sentence(
    server: ThreadingHTTPServer, pair: tuple[str, str], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        client(server).score([pair])


@pytest.mark.parametrize(
    "choice",
    [{}, {"logprobs": {"token_logprobs": ["x"], "text_offset": [0]}}, "text", {"index": None, "logprobs": None}],
)
def test_an_answer_of_another_shape_is_a_sentence(monkeypatch: pytest.MonkeyPatch, choice: object) -> None:
    found = CompletionsServer("http://127.0.0.1:1/v1", model="big")
    monkeypatch.setattr(found, "_posted", lambda body: (200, json.dumps({"choices": [choice]})))
    with pytest.raises(ServerFailed, match=r"^The server"):
        found.score([("", "a b")])


def test_a_token_that_the_server_adds_behind_the_prompt_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    found = CompletionsServer("http://127.0.0.1:1/v1", model="big")
    more = {"token_logprobs": [None, -1.0, -2.0, -9.0], "text_offset": [0, 1, 3, 5]}
    monkeypatch.setattr(found, "_posted", lambda body: (200, json.dumps({"choices": [{"logprobs": more}]})))
    assert found.score([("a", " b c")]) == [Scored(-3.0, 2)]


def test_an_address_without_http_is_refused() -> None:
    with pytest.raises(BadInput, match="http"):
        CompletionsServer("ftp://somewhere", model="big")


def test_a_file_answers_for_its_pairs(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    lines = [
        {"context": "c", "candidate": "a b", "log_prob": [-1, -2.5]},
        {"candidate": "d", "log_prob": -4, "tokens": 2},
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    found = Recorded(path)
    assert found.score([("", "d"), ("c", "a b")]) == [Scored(-4, 2), Scored(-3.5, 2)]
    with pytest.raises(MissingLogProb, match="'nobody'"):
        found.score([("c", "nobody")])


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{", "row 1: is not JSON"),
        ('{"candidate": " ", "log_prob": -1, "tokens": 1}', "row 1, column candidate"),
        ('{"candidate": "a", "log_prob": 0.5, "tokens": 1}', "row 1, column log_prob: must be 0 or less"),
        ('{"candidate": "a", "log_prob": -1}', "row 1, column tokens"),
        ("", "has no pairs"),
    ],
)
def test_a_bad_line_names_its_row_and_column(tmp_path: Path, line: str, sentence: str) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text(line)
    with pytest.raises(BadInput, match=sentence):
        Recorded(path)
