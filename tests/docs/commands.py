"""The commands that pages show, and whether the programs they name would take them."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from django.core.management import CommandError, get_commands, load_command_class

from metrics.__main__ import build_parser

ROOT = Path(__file__).resolve().parents[2]
PAGES = tuple(
    sorted(
        path
        for pattern in (
            "README.md",
            "CONTRIBUTING.md",
            "docs/*.md",
            "docs/guides/*.md",
            "docs/tasks/*.md",
            "examples/**/*.md",
        )
        for path in ROOT.glob(pattern)
    )
)
# Of any language, so that the end of one block is not read as the beginning of the next.
_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```", re.M | re.S)
_QUOTED = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
_OURS = re.compile(r"(?:\S*python )?(?:-m|manage\.py|make|textassay) ")
_CONTINUED = re.compile(r"\\\n\s*")
_BEGIN = re.compile(
    r"^(?:\$ )?((?:\.venv/bin/)?python -m \S|(?:(?:\.venv/bin/)?python )?manage\.py \S|make \S|textassay \S)"
)
_ANY = re.compile(r"(?:manage\.py|make|textassay) \.\.\.$")  # any command of a program
# What a line of a shell begins with, in a block of commands; whatever else is there is what a command prints.
_PROGRAMS = "python|manage\\.py|make|textassay|git|curl|pip|export|cp|sudo|systemctl|docker|apt-get|cd|aws|psql|caddy"
_TYPED = re.compile(rf"^(?:\$ )?((?:[A-Z_]+=\S+ )*(?:\S*/)?(?:{_PROGRAMS}) +\S.*)$")
_SHELLS = {"", "sh", "bash", "console"}
# What stands in a command for something of the reader's: STUDY, DATA=FOLDER, FILE.csv; a study called mine.
_STANDS_FOR = re.compile(r"(?:[A-Z]+=)?[A-Z]+(?:\.csv)?|\.\.\.|…|mine")


@dataclass(frozen=True, slots=True)
class Shown:
    """A command as a page shows it."""

    page: str
    line: str
    mentioned: bool = False  # in running text, where arguments may be missing

    @property
    def words(self) -> list[str]:
        """The words, without the interpreter; optional parts in brackets are taken as they stand."""
        line = re.sub(r"[\[\]]", "", self.line) if " [-" in self.line else self.line
        words = shlex.split(line.removeprefix("$ "), comments=True)
        cut = next((at for at, word in enumerate(words) if word in {"&&", "|", ";", ">", "..."}), len(words))
        words = words[:cut]
        if words[0].endswith("python"):
            words = words[1:]
        return words


def shown_commands(page: Path) -> Iterator[Shown]:
    """Every command of the blocks and of the running text of a page."""
    text = _CONTINUED.sub(" ", page.read_text(encoding="utf-8"))
    name = page.relative_to(ROOT).as_posix()
    for language, block in _BLOCK.findall(text):
        for line in block.splitlines():
            if language in {"", "sh"} and _BEGIN.match(line):
                yield Shown(name, line)
    for line in sentence_lines(page):
        if _OURS.match(line):
            yield Shown(name, line, mentioned=True)


def shell_lines(page: Path) -> list[str]:
    """Every command of the blocks of a page, as typed: without the prompt, continued lines as one."""
    text = _CONTINUED.sub(" ", page.read_text(encoding="utf-8"))
    blocks = [block for language, block in _BLOCK.findall(text) if language.partition(" ")[0] in _SHELLS]
    return [match[1] for block in blocks for line in block.splitlines() if (match := _TYPED.match(line))]


def sentence_lines(page: Path) -> list[str]:
    """Every command within the sentences of a page, each once; the name of a program, alone or with dots, is none."""
    text = _BLOCK.sub("", _CONTINUED.sub(" ", page.read_text(encoding="utf-8")))
    quoted = (" ".join(words.split()) for _, words in _QUOTED.findall(text))
    return list(dict.fromkeys(line for line in quoted if _TYPED.match(line) and not _ANY.search(line)))


def is_run_by(line: str, typed: str) -> bool:
    """Whether a typed command runs that of a sentence: the same program, and its words in their order among others."""
    program, *wanted = _plain_words(line)
    runs, *words = _plain_words(typed)
    left = iter(words)
    return program == runs and all(
        any(word == want or _STANDS_FOR.fullmatch(want) for word in left) for want in wanted if want not in {"...", "…"}
    )


def _plain_words(line: str) -> list[str]:
    """The words of a command without the interpreter and the brackets around optional words."""
    words = shlex.split(re.sub(r"[\[\]]", "", line) if " [" in line else line, comments=True)
    while len(words) > 1 and (words[0].endswith("python") or re.match(r"[A-Z_]+=", words[0])):
        del words[0]
    return [words[0].rpartition("/")[2], *words[1:]]


def refusal(shown: Shown) -> str:
    """Why the program would not take this command; "" where it would."""
    said = _refused(shown.words)
    if shown.mentioned and (" required: " in said or "expected one argument" in said):
        return ""
    # NAME or ROLE stands for whatever the reader chooses.
    return "" if re.search(r"invalid .*'[A-Z]+'", said) else said


def _refused(words: list[str]) -> str:
    match words:
        case ["make", *rest]:
            return _refused_by_make(rest)
        case ["manage.py", name, *rest]:
            return _refused_by_django(name, rest)
        case ["textassay", name, *rest] if name in get_commands() and name != "report":
            return _refused_by_django(name, rest)
        case ["-m", "metrics", *rest] | ["textassay", *rest]:
            return _refused_by_metrics(rest, own=words[0] == "textassay")
        case ["-m", module, *_]:
            return "" if importlib.util.find_spec(module) else f"no module {module}"
    return f"no program of ours: {words[0]}"


def _refused_by_make(rest: list[str]) -> str:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for word in rest:
        name, equals, _value = word.partition("=")
        known = f"$({name})" in makefile or re.search(rf"\$\(\w+ .*{name}", makefile) if equals else None
        if equals and not known:
            return f"the Makefile reads no {name}"
        if not equals and not re.search(rf"^{re.escape(name)}:", makefile, re.M):
            return f"the Makefile has no target {name}"
    return ""


def _refused_by_django(name: str, rest: list[str]) -> str:
    app = get_commands().get(name)
    if app is None:
        return f"no command {name}"
    command = app if not isinstance(app, str) else load_command_class(app, name)
    return _said(lambda: command.create_parser("manage.py", name).parse_args(rest))


def _refused_by_metrics(rest: list[str], *, own: bool) -> str:
    if (own and rest[:1] in (["demo"], ["serve"])) or not rest:
        return ""
    return _said(lambda: build_parser().parse_args(rest))


def _said(parse: Callable[[], object]) -> str:
    """What the parser writes before it gives up."""
    written = io.StringIO()
    try:
        with contextlib.redirect_stderr(written), contextlib.redirect_stdout(io.StringIO()):
            parse()
    except SystemExit as end:
        if end.code == 0:  # --help
            return ""
        return written.getvalue().strip().splitlines()[-1] if written.getvalue().strip() else "exit"
    except CommandError as error:  # of Django's parser, where a program calls it
        return str(error)
    return ""
