"""What a reader of each page has before its commands, and which commands only a reader elsewhere can run.

Every page with commands belongs to one journey, or is run by a test of its own. Within a journey every command is run
in the order of the pages, unless `not_run` has it with the reason.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from openpyxl import Workbook

NETWORK = "looks up a host of the reader's on the Internet"
INSTALLS = "makes an installation of this machine: docs/operating.md, run by python -m tests.operating"

# Pages whose commands another test runs, or another program where a test may not (as root, say).
RUN_ELSEWHERE = {
    "docs/operating.md": "tests/operating/test_operating.py",
    "docs/migrating.md": "tests/annotation/batches/test_migrating_page.py",
}

LONG = "takes minutes or hours of a whole machine; its last result is a page of docs"
WHOLE_SUITE = "runs the tests themselves or what stands beside them, for minutes"
# Commands of sentences that are not run: what one begins with, and the reason.
NOT_TYPED = {
    r"make (?:truth|bench|faults|draws|pay|people|replicate|notebooks|screenshots)\b": LONG,
    r"python -m tests\.(?:benchmarks|load|faults|annotation\.readers\.foreign)\b": LONG,
    r"python -m tests\.screenshots\.first_study$": "takes the pictures of docs for minutes, as make screenshots does",
    r"python -m tests\.(?:operating|deploy\.try_nginx)\b": "makes an installation as root, on a Debian of its own",
    r"make (?:test|check|coverage|test_wheel)$": WHOLE_SUITE,
    r"make setup-dev$": "installs the tools from the package index, as whoever runs this has done",
    r"make audit\b": "asks for advisories on the Internet: tests/distribution/test_audit.py runs it on a stub",
    r"make release$": "needs a checkout without changes: tests/distribution/test_release.py runs its steps",
    r"make messages$": "needs the programs of GNU gettext, which translators have",
    r"make start\b|(?:\S*python )?-?.*\bdeploy (?:start|prepare)$": INSTALLS,
    r"python -m deploy run \w+$": "runs a process of an installation: tests/operating and tests/deploy start them",
    r"docker |systemctl ": "needs Docker, or systemd, on the machine of an installation",
    r"manage\.py notification_endpoint add": NETWORK,
    r"manage\.py retention set STUDY DATE --once-until": "needs a channel: test_erase_a_person.py runs what it calls",
    r"manage\.py payouts mark\b": "needs pay that is owed: tests/marketplace runs it on a batch of lines",
    r"manage\.py detect$": "reads explanations that people wrote: tests/annotation/review/test_detectors.py runs it",
    r"manage\.py publish mine --wave": "needs a wave that is full or expired: tests/annotation/publishing sends two",
    r"python -m metrics\.likelihood\.tiny\.train\b": "writes the model anew, of which model.py has the hash",
    r"manage\.py restore\b": "replaces a database: tests/annotation/jobs/backups/test_backup.py runs it",
}

HEADLINES = """id,text,source,generator,context,context_text,log_prob,length,length_unit
r1,Harbor reopens after the storm,reference,,n1,The harbor was closed for three days.,-20.1,5,whitespace
r2,Council opens the new bridge,reference,,n2,The bridge over the river took four years.,-22.5,5,whitespace
r3,Mayor resigns on Monday,reference,,n3,The mayor gave no reason.,-18.3,4,whitespace
m1,Harbor closes after the harbor,model,tiny,n1,The harbor was closed for three days.,-15.2,5,whitespace
m2,Bridge opens the council bridge,model,tiny,n2,The bridge over the river took four years.,-14.8,5,whitespace
m3,Monday resigns the mayor,model,tiny,n3,The mayor gave no reason.,-13.9,4,whitespace
"""


def _measured() -> str:
    rows = [f"r{i},Reference {i},{3 + i % 3},{-20 - i % 7},10,reference," for i in range(20)]
    rows += [f"m{i},Sentence {i},{1 + i % 4},{-14 - i % 9},10,model,tiny" for i in range(20)]
    return "\n".join(["id,text,hj,log_prob,length,source,generator", *rows]) + "\n"


def _rated(*, sources: Mapping[str, str]) -> str:
    rows = [
        f"{source}{i},rater{r},{1 + (i + r + len(source)) % 5},{name},c{i},{('trained', 'untrained')[r % 2]}"
        for source, name in sources.items()
        for i in range(20)
        for r in range(4)
    ]
    return "\n".join(["item,rater,value,source,context,condition", *rows]) + "\n"


@dataclass(frozen=True)
class Journey:
    """Pages whose commands are typed in one folder, one after the other.

    files: what the reader has (name: content). before: commands of pages read earlier. typed: what is written where a command
    asks (part of the command: line). in_sentences: commands of the running text in full, typed after those of the blocks. after: what the reader does next (part of the command: command; WORK: opens the link
    that was printed, and does the tasks). reader_writes: what stands for something of the reader's, and what it is here.
    remembered: variables of the shell, and where they are in what a command prints. not_run: part of a command: the reason.
    of_developer: in the environment that runs the tests, instead of a reader's. has_tables: of an installation, as
    whoever typed commands before.
    """

    pages: tuple[str, ...]
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    after: Mapping[str, str] = field(default_factory=dict)
    typed: Mapping[str, str] = field(default_factory=dict)
    reader_writes: Mapping[str, str] = field(default_factory=dict)
    remembered: Mapping[str, str] = field(default_factory=dict)
    not_run: Mapping[str, str] = field(default_factory=dict)
    in_sentences: tuple[str, ...] = ()
    of_developer: bool = False
    has_tables: bool = False


BATCH = """HITId,AssignmentId,WorkerId,AssignmentStatus,Input.text1,Input.kind1,Input.text2,Input.kind2,Answer.rating1,Answer.rating2
H1,A1,W1,Approved,Rain delays the final,person,Final delays the rain,machine,5,2
H1,A2,W2,Approved,Rain delays the final,person,Final delays the rain,machine,4,1
"""
MAPPING = """name = "our pilot"
question = "How typical is this sentence?"

[[items]]
text = "Input.text{i}"
source = "Input.kind{i}"
rating = "Answer.rating{i}"

[sources]
person = "reference"
machine = "model"

[scale]
numbers = "1-5"
"""
# The same without contexts, of which a HIT holds each once.
ALONE = "\n".join(",".join([*row.split(",")[:4], *row.split(",")[6:]]) for row in HEADLINES.splitlines())
RATED_SOURCES = {"p": "reference", "l": "large", "s": "small"}


def _items(sources: Mapping[str, str]) -> str:
    rows = [
        f"{short}{i},{name} {i},{'reference' if name == 'reference' else 'model'},{name},c{i}"
        for short, name in sources.items()
        for i in range(20)
    ]
    return "\n".join(["id,text,source,generator,context", *rows]) + "\n"


def _labelled() -> str:
    """Error labels of three raters for two answers to each of two questions."""
    chosen = {"q1a": "No error", "q1b": "grammar", "q2a": "No error", "q2b": "off topic"}
    rows = [f"{item},rater{r},{LABELS.index(label) + 1},{label}" for item, label in chosen.items() for r in range(3)]
    return "\n".join(["item,rater,value,label", *rows]) + "\n"


LABELS = ("off topic", "grammar", "No error")
ANSWERS = """id,text,source,generator,context,context_text
q1a,Goethe wrote it.,reference,,q1,Who wrote Faust?
q1b,Goethe write it.,model,tiny,q1,Who wrote Faust?
q2a,In Bonn.,reference,,q2,Where was Beethoven born?
q2b,On a Tuesday.,model,tiny,q2,Where was Beethoven born?
"""
RATINGS_OF_TWO = "item,rater,value\nr1,ann,4\nm1,ann,2\nr1,ben,5\nm1,ben,3\n"
SERVED = "manage.py serve"
NAMED = 'manage.py create_requester console-requester --display-name "Ada Lovelace, Example University"'
RATED = (
    "manage.py import_texts texts.csv --study headlines --create",
    "manage.py import_ratings --items items.csv --ratings ratings.csv --study rated",
)
RATED_FILES = {
    "texts.csv": HEADLINES,
    "items.csv": _items(RATED_SOURCES),
    "ratings.csv": _rated(sources=RATED_SOURCES),
}


def _pilot() -> str:
    """Three ratings of each text of `_measured`."""
    rows = [f"{side}{i},rater{r},{1 + (i * r + len(side)) % 5}" for side in "rm" for i in range(20) for r in range(3)]
    return "\n".join(["item,rater,value", *rows]) + "\n"


def _workbook() -> bytes:
    book, stored = Workbook(), io.BytesIO()
    for row in HEADLINES.splitlines():
        book.active.append([cell or None for cell in row.split(",")[:5]])
    book.save(stored)
    return stored.getvalue()


def _gltr(rank: int, probability: float) -> str:
    """Predictions of two tokens; the second one has this rank and probability."""
    likeliest = [[["Ġb", 0.5], ["Ġc", 0.3], ["d", 0.1]]] * 2
    return json.dumps(
        {
            "bpe_strings": ["<|endoftext|>", "Ġb", "d"],
            "real_topk": [[0, 0.5], [rank, probability]],
            "pred_topk": likeliest,
        }
    )


def _quiz() -> str:
    questions = [
        {"question": "Who wrote Faust?", "reason": "No error"},
        {"question": "Who Faust?", "reason": "disfluent"},
    ]
    return json.dumps(
        {"group_id": 0, "answer_span": "Goethe", "context": "Goethe wrote Faust.", "questions": questions}
    )


def _scores(*log_probs: float) -> str:
    rows = [f"0/{number},{log_prob},4" for number, log_prob in enumerate(log_probs)]
    return "\n".join(["id,log_prob,tokens", *rows]) + "\n"


def _stories() -> str:
    """What the study of `clark-2021` needs: three domains, references and two generators."""
    domains, sources = ("stories", "news", "recipes"), ("", "gpt2", "gpt3")
    rows = [
        f"{domain}-{source or 'person'}-{i},A {source or 'person'} wrote number {i} of the {domain}.,"
        f"{'model' if source else 'reference'},{source},{domain}"
        for domain in domains
        for source in sources
        for i in range(50)
    ]
    return "\n".join(["id,text,source,generator,domain", *rows]) + "\n"


WARM = """w1,Harbor is open to storms,model,warm,n1,The harbor was closed for three days.,-17.2,5,whitespace
w2,Bridge crosses a long council,model,warm,n2,The bridge over the river took four years.,-16.8,5,whitespace
w3,Mayor is Monday,model,warm,n3,The mayor gave no reason.,-12.9,3,whitespace
"""
TRAINING = """training,text,source,human,machine,context,explanation
instructions,Look for repetitions and for facts that cannot be.,,,,,
examples,The door was the door of the door.,machine,,,,It repeats itself.
comparison,,,Grandma never locked the kitchen door.,The kitchen door kitchened.,,{machine} repeats itself.
"""
TORCH = "draws texts by torch, which the package index has in several gigabytes: tests/annotation/texts runs it"
PROLIFIC = (
    "asks Prolific, for which a person needs an account: rehearse_prolific leads the same steps on a stub, and is run"
)

OWN_STUDY = Journey(
    pages=("README.md", "docs/running.md"),
    files={
        "texts.csv": ALONE,
        "items.csv": _measured(),
        "ratings.csv": RATINGS_OF_TWO,
        "Batch_results.csv": BATCH,
        "mapping.toml": MAPPING,
    },
    after={"create_worker ada": "WORK"},
    typed={"publish mine": "mine", "approve mine": "yes"},
    not_run={
        "git clone": "the address is whatever the reader clones from; the checkout lies in the folder already",
        "make start": INSTALLS,
    },
    in_sentences=(
        "manage.py fair_pay mine",
        "manage.py top_up mine",
        "manage.py reparse mine",
        'manage.py notify mine --everybody --subject "The study" --text "Thank you."',
        "manage.py sign_in_link ada --create --owner",
        "make setup MODELS=no",
        'make demo MODELS=no DEMO="--seed 7"',
        ".venv/bin/python -m metrics --help",
        "make api",
        'make serve SERVE="--port 0"',
        "pip install .",
    ),
)
JOURNEYS = (
    OWN_STUDY,
    Journey(pages=("docs/quick-start.md",)),
    Journey(pages=("docs/first-study.md",)),
    Journey(
        pages=("CONTRIBUTING.md",),
        has_tables=True,
        in_sentences=(
            "manage.py migrate --prune annotation",
            "python -m tests.architecture",
            "python -m tests.language",
            "python -m tests.language --lower",
            "python -m tests.language --moved",
            "python docs/make_openapi.py",
            "make package",
            'make docs DOCS="--serve 0"',
        ),
        of_developer=True,
    ),
    Journey(
        pages=("docs/guides/report-reader.md", "docs/guides/developer.md"),
        files={
            "ratings.csv": RATINGS_OF_TWO,
            "pairs.jsonl": '{"id": "p0", "context": "It rains.", "candidate": "Rain."}\n',
        },
        in_sentences=(
            "textassay hj ratings.csv",
            'textassay loglik pairs.jsonl --model assay-tiny --joiner " "',
        ),
    ),
    Journey(
        pages=("docs/studio.md", "docs/model-tools.md"),
        before=("textassay serve",),
        in_sentences=(
            'textassay create_requester console-requester --display-name "Ada Lovelace, Example University"',
            "textassay create_worker ann",
            'pip install ".[client]"',
            'pip install ".[mcp]"',
        ),
    ),
    Journey(
        pages=("docs/comparing.md", "docs/tasks/README.md"),
        files={**RATED_FILES, "rehearsed.csv": ALONE},
        before=(
            SERVED,
            RATED[1],
            "manage.py import_ratings --items items.csv --ratings ratings.csv --study again",
            "manage.py report rated --out report",
            "manage.py report again --out report-again",
            "manage.py import_texts rehearsed.csv --study original --create",
            "manage.py publish original",
            "manage.py work",
            "manage.py rehearsal_crowd original",
            "manage.py collect original",
            "manage.py report original --out original",
            "cp original/snapshot.json .",
        ),
        typed={"publish original": "original", "publish ours": "ours"},
        in_sentences=(
            "manage.py report rated again --out both",
            "manage.py share rated again --new",
            "manage.py import_report snapshot.json --study theirs",
            "manage.py replicate theirs ours",
            "manage.py publish ours",
            "manage.py work",
            "manage.py rehearsal_crowd ours",
            "manage.py collect ours",
            "manage.py report theirs ours --out compared",
        ),
    ),
    Journey(
        pages=("docs/judging.md",),
        files=RATED_FILES,
        before=RATED,
        in_sentences=(
            "manage.py rules rated --fix first",
            "manage.py exclusions rated --out sensitivity",
        ),
    ),
    Journey(
        pages=("docs/link-study.md",),
        files={"texts.csv": HEADLINES},
        before=RATED[:1],
        in_sentences=("manage.py recruit headlines status",),
    ),
    Journey(
        pages=("docs/answer.md",),
        files=RATED_FILES,
        before=(*RATED, "manage.py report rated --out report", "cp report/snapshot.json ."),
        in_sentences=("manage.py configure headlines --set compare_margin=0.3",),
    ),
    Journey(
        pages=("docs/designing.md",),
        files={"texts.csv": _stories(), "items.csv": TRAINING, "ratings.csv": _pilot(), "measured.csv": _measured()},
        before=(SERVED, NAMED, "manage.py import_ratings --items measured.csv --ratings ratings.csv --study mypilot"),
        typed={"publish mine": "mine"},
        in_sentences=(
            "manage.py fair_pay mine",
            "manage.py new_study second --preset huse-2019 --print-wording > words.json",
            "manage.py new_study second --wording words.json",
            "manage.py retention set mine 2061-06-30",
            'manage.py set_details mine plan "As registered."',
        ),
    ),
    Journey(
        pages=("docs/ethics.md",),
        files={**RATED_FILES, "no-sharing.txt": "rater0\n"},
        before=RATED,
        reader_writes={"STUDY": "rated"},
        in_sentences=(
            "manage.py preregister headlines",
            "manage.py ethics_pack headlines --language de --out pack.docx",
            "manage.py processing_record headlines",
        ),
    ),
    Journey(
        pages=("docs/human-likelihood.md",),
        files={
            **RATED_FILES,
            "a.txt": "Rain delays the final.\n",
            "b.txt": "The final delays the rain.\n",
            **{f"people-{number}.json": _gltr(2, 0.1) for number in (1, 2)},
            **{f"models-{number}.json": _gltr(0, 0.5) for number in (1, 2)},
            "origins.csv": "text,truth\npeople-1.json,human\npeople-2.json,human\nmodels-1.json,machine\nmodels-2.json,machine\n",
        },
        before=RATED,
        reader_writes={"STUDY": "rated", "PATH": "assay-tiny"},
    ),
    Journey(
        pages=("docs/import.md",),
        files={
            **RATED_FILES,
            "results.xlsx": _workbook(),
            "mapping.json": '{"shape": "long", "side": "column", "source": "source", "references": ["reference"], "id": "id", "text": "text", "generator": "generator"}',
            "sentences.csv": "ID,sentence,source,generator\ns1,Rain delays the final.,human,\ns2,The final delays.,gpt2,gpt2\n",
            "names.toml": '[columns]\nid = "ID"\ntext = "sentence"\n\n[sources]\nhuman = "reference"\ngpt2 = "model"\n',
        },
        before=(*RATED, "manage.py report rated --out report", "cp report/report.json report/snapshot.json ."),
        reader_writes={"DIR": "again"},
        in_sentences=(
            "manage.py import_ratings --ratings ratings.csv --guess --study old",
            "manage.py work --only files",
        ),
    ),
    Journey(
        pages=("docs/managing.md",),
        files=RATED_FILES,
        before=(
            SERVED,
            "manage.py sign_in_link root --create --owner",
            "manage.py create_worker ann --worker-id A1EXAMPLEWORKER",
        ),
        typed={"person ": "A1EXAMPLEWORKER"},
        in_sentences=(
            "manage.py import_texts texts.csv --study first --create --as root",
            "manage.py people first --invite reviewer --as root",
            "manage.py sign_in_link ben --create",
            "manage.py people first --give ben reviewer --as root",
            "manage.py duplicate first second --as root",
            "manage.py rename second fourth --as root",
            "manage.py archive fourth --as root",
            "manage.py payouts export --out owed.csv",
            "manage.py retention set first 2027-06-30",
        ),
    ),
    Journey(
        pages=("docs/marketplace.md",),
        not_run={"endpoint add https": NETWORK},
        in_sentences=(
            "manage.py check --deploy",
            "manage.py marketplace_clock +90000",
            "manage.py marketplace_clock 0",
            "manage.py marketplace_sweep",
            "manage.py check_balances",
            "manage.py prolific",
            "manage.py invite list",
            "manage.py create_worker ann --payee ann@bank",
            "manage.py payouts export --out batch.csv",
            "manage.py create_requester choir --pays volunteer",
            "manage.py create_worker cem --email cem@example.org",
            'manage.py create_requester paris --balance "50.00 EUR"',
        ),
    ),
    Journey(
        pages=("docs/models.md",),
        files={
            **RATED_FILES,
            "texts.csv": "\n".join(",".join(row.split(",")[:6]) for row in (HEADLINES + WARM).splitlines()),
            "detector.csv": "id,p_machine\nr1,.1\nr2,.2\nr3,.1\nm1,.7\nm2,.8\nm3,.6\n",
            "pairs.jsonl": '{"id": "p0", "context": "It rains.", "candidate": "Rain."}\n',
            "training.jsonl": '{"context": "The harbor was closed.", "candidate": "Harbor closed"}\n',
            "answers.csv": ANSWERS,
            "labels.csv": _labelled(),
        },
        before=(*RATED, "manage.py import_ratings --items answers.csv --ratings labels.csv --study errors"),
        reader_writes={"DIR": "with-scores"},
        not_run={"sample_texts": TORCH},
    ),
    Journey(
        pages=("docs/near-negative.md",),
        files={
            "quiz_design_groups.jsonl": _quiz(),
            "north.csv": _scores(-6.0, -9.0),
            "south.csv": _scores(-9.0, -6.0),
            "answers.csv": ANSWERS,
            "labels.csv": _labelled(),
        },
        before=("manage.py import_ratings --items answers.csv --ratings labels.csv --study errors",),
        reader_writes={"STUDY": "errors"},
    ),
    Journey(pages=("docs/prolific.md",), has_tables=True, not_run={"recruit headlines": PROLIFIC}),
    Journey(
        pages=("docs/web-api.md",),
        files={"texts.csv": HEADLINES},
        before=(
            SERVED,
            "manage.py sign_in_link ada --create --owner",
            "manage.py new_study headlines --as ada",
            "manage.py tokens ada --new script",
        ),
        remembered={"TOKEN": r"(?m)^(\S{30,})$", "STUDY": r'"id": ?"?([\w-]+)'},
    ),
)
