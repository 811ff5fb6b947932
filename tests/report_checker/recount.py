"""What the database says of a study, counted anew from its rows: no query, record or section of the report is used."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import cached_property
from statistics import median
from typing import Any

from django.db import connection

from annotation.models import Study

TIE = 1e-9
DIGITS = {"JPY": 0}


@dataclass(frozen=True, slots=True)
class Answer:
    """A judgment as its rows have it. excluded: its submission is not part of the analysis."""

    submission: int
    rater: str
    arm: str
    criterion: str
    label: str
    code: Fraction
    text: str
    partner: str | None
    excluded: bool


class Rows:
    """The rows of one study, read by plain SQL."""

    def __init__(self, study: Study) -> None:
        self.key = study.pk
        self.study = self._one("SELECT * FROM annotation_study WHERE id = %s")

    def _all(self, sql: str, *more: Any) -> list[dict[str, Any]]:
        with connection.cursor() as cursor:
            cursor.execute(sql, [self.key, *more])
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def _one(self, sql: str) -> dict[str, Any]:
        return self._all(sql)[0]

    @cached_property
    def texts(self) -> dict[str, dict[str, Any]]:
        """Texts that raters judge, by key, with the name of their side."""
        rows = self._all(
            "SELECT t.key, t.source, g.name AS generator, t.context_id, t.corpus_count FROM annotation_text t "
            "LEFT JOIN annotation_generator g ON g.id = t.generator_id "
            "WHERE t.study_id = %s AND t.left_out = '' AND t.known_label = '' ORDER BY t.id"
        )
        return {row["key"]: row for row in rows}

    @property
    def has_contexts(self) -> bool:
        """Whether any text that was judged has a context."""
        return any(self.texts[answer.text]["context_id"] is not None for answer in self.used)

    @cached_property
    def submissions(self) -> list[dict[str, Any]]:
        """Submissions with the decisions about them."""
        return self._all(
            "SELECT s.id, s.submitted_at, s.work_seconds, s.raw_format, w.pseudonym AS rater, p.active_ms, "
            "a.training AS arm, COALESCE(a.reward_cents, y.reward_cents) AS reward, "
            "d.verdict AS used, d.rule_set_id AS rules, d.at AS used_at, m.verdict AS paid "
            "FROM annotation_submission s JOIN annotation_hit h ON h.id = s.hit_id "
            "JOIN annotation_cell c ON c.id = h.cell_id JOIN annotation_arm a ON a.id = c.arm_id "
            "JOIN annotation_study y ON y.id = h.study_id JOIN annotation_worker w ON w.id = s.worker_id "
            "LEFT JOIN annotation_decision d ON d.submission_id = s.id AND d.matter = 'analysis' "
            "LEFT JOIN annotation_decision m ON m.submission_id = s.id AND m.matter = 'payment' "
            "LEFT JOIN annotation_parse p ON p.submission_id = s.id WHERE h.study_id = %s ORDER BY s.id"
        )

    @cached_property
    def answers(self) -> list[Answer]:
        """Judgments of texts that count: no gold, no repeats."""
        left_out = {row["id"] for row in self.submissions if row["used"] == "exclude"}
        arms = {row["id"]: row["arm"] for row in self.submissions}
        rows = self._all(
            "SELECT s.id AS submission, w.pseudonym AS rater, j.criterion, l.label, l.code, t.key AS text, "
            "o.key AS partner FROM annotation_judgment j JOIN annotation_scalelabel l ON l.id = j.label_id "
            "JOIN annotation_presentation p ON p.id = j.presentation_id "
            "JOIN annotation_submission s ON s.id = p.submission_id JOIN annotation_hit h ON h.id = s.hit_id "
            "JOIN annotation_worker w ON w.id = s.worker_id JOIN annotation_text t ON t.id = p.text_id "
            "LEFT JOIN annotation_text o ON o.id = p.partner_id "
            "WHERE h.study_id = %s AND p.role = 'item' ORDER BY j.id"
        )
        return [
            Answer(
                row["submission"],
                row["rater"],
                arms[row["submission"]],
                row["criterion"],
                row["label"],
                Fraction(row["code"]),
                row["text"],
                row["partner"],
                row["submission"] in left_out,
            )
            for row in rows
        ]

    @property
    def used(self) -> list[Answer]:
        return [answer for answer in self.answers if not answer.excluded]

    def labels_of(self, criterion: str) -> list[str]:
        """Every label of the scale on which the criterion was judged."""
        rows = self._all(
            "SELECT DISTINCT o.label FROM annotation_judgment j JOIN annotation_scalelabel l ON l.id = j.label_id "
            "JOIN annotation_scalelabel o ON o.scale_id = l.scale_id "
            "JOIN annotation_presentation p ON p.id = j.presentation_id "
            "JOIN annotation_submission s ON s.id = p.submission_id JOIN annotation_hit h ON h.id = s.hit_id "
            "WHERE h.study_id = %s AND j.criterion = %s",
            criterion,
        )
        return [row["label"] for row in rows]

    @cached_property
    def hits(self) -> list[dict[str, Any]]:
        """HITs with what each shows: numbers of items, references among them, repeats and checks, submissions."""
        return self._all(
            "SELECT h.id, h.max_assignments, "
            "(SELECT COUNT(*) FROM annotation_hititem i WHERE i.hit_id = h.id AND i.role = 'item') AS items, "
            "(SELECT COUNT(*) FROM annotation_hititem i JOIN annotation_text t ON t.id = i.text_id "
            "WHERE i.hit_id = h.id AND i.role = 'item' AND t.source = 'reference') AS refs, "
            "(SELECT COUNT(*) FROM annotation_hititem i WHERE i.hit_id = h.id AND i.role = 'repeat') AS repeats, "
            "(SELECT COUNT(*) FROM annotation_attentioncheck k WHERE k.hit_id = h.id) AS checks, "
            "(SELECT COUNT(*) FROM annotation_submission s WHERE s.hit_id = h.id) AS work "
            "FROM annotation_hit h WHERE h.study_id = %s ORDER BY h.slot"
        )

    @cached_property
    def shown_in_hits(self) -> dict[int, list[dict[str, Any]]]:
        """What each HIT shows, in its order: the words of the text, of its context, and of what it is paired with."""
        rows = self._all(
            "SELECT i.hit_id AS hit, t.body, COALESCE(c.body, '') AS context, COALESCE(o.body, '') AS partner "
            "FROM annotation_hititem i JOIN annotation_hit h ON h.id = i.hit_id JOIN annotation_text t "
            "ON t.id = i.text_id LEFT JOIN annotation_context c ON c.id = t.context_id "
            "LEFT JOIN annotation_text o ON o.id = i.partner_id WHERE h.study_id = %s ORDER BY i.hit_id, i.position"
        )
        shown: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
        for row in rows:
            shown[row["hit"]].append(row)
        return shown

    @cached_property
    def arms(self) -> list[dict[str, Any]]:
        return self._all("SELECT training, reward_cents FROM annotation_arm WHERE study_id = %s ORDER BY id")

    @cached_property
    def ways(self) -> list[dict[str, Any]]:
        return self._all("SELECT kind, pays, pay_words, consent FROM annotation_wayin WHERE study_id = %s")

    @cached_property
    def stated(self) -> dict[str, str]:
        rows = self._all("SELECT key, body FROM annotation_statement WHERE study_id = %s")
        return {row["key"]: row["body"] for row in rows}

    @cached_property
    def providers(self) -> list[str]:
        rows = self._all(
            "SELECT DISTINCT i.provider FROM annotation_workeridentity i JOIN annotation_submission s "
            "ON s.worker_id = i.worker_id JOIN annotation_hit h ON h.id = s.hit_id WHERE h.study_id = %s "
            "ORDER BY i.provider"
        )
        return [row["provider"] for row in rows]

    @cached_property
    def spent(self) -> Counter[str]:
        rows = self._all(
            "SELECT kind, SUM(cents) AS cents FROM annotation_ledgerentry WHERE study_id = %s GROUP BY kind"
        )
        return Counter({row["kind"]: int(row["cents"]) for row in rows})

    @cached_property
    def words(self) -> dict[str, Any]:
        """The latest wording."""
        row = self._one("SELECT body FROM annotation_studywording WHERE study_id = %s ORDER BY version DESC LIMIT 1")
        body = row["body"]
        return dict(json.loads(body) if isinstance(body, str) else body)

    @cached_property
    def plans(self) -> list[dict[str, Any]]:
        """The sealed plan and its amendments, the document as stored."""
        return self._all(
            "SELECT number, at, submissions, document, sha256 FROM annotation_sealedplan WHERE study_id = %s "
            "ORDER BY number"
        )

    @cached_property
    def logged(self) -> tuple[datetime, dict[str, Any]] | None:
        """When the study was published, and the plan that the log has from then."""
        rows = self._all("SELECT at, facts FROM annotation_auditevent WHERE study_id = %s AND verb = 'publish'")
        for row in rows:
            facts = json.loads(row["facts"]) if isinstance(row["facts"], str) else row["facts"]
            return moment(row["at"]), facts["plan"]
        return None

    @cached_property
    def declared(self) -> dict[str, Any]:
        """What the plan in the log declares of the main comparison, without its empty settings."""
        settings = self.logged[1]["settings"] if self.logged else {}
        names = ("criterion", "first", "second", "margin", "family", "raters")
        return {name: value for name in names if (value := settings.get(f"compare_{name}")) not in (None, "")}

    @cached_property
    def files(self) -> list[dict[str, Any]]:
        """Files of scores, their document as stored."""
        return self._all("SELECT kind, name, document, model FROM annotation_scorefile WHERE study_id = %s ORDER BY id")

    @cached_property
    def drawn(self) -> int:
        """People whose condition was drawn."""
        rows = self._all("SELECT COUNT(DISTINCT person) AS n FROM annotation_drawrecord WHERE study_id = %s")
        return int(rows[0]["n"])

    @cached_property
    def draws(self) -> list[tuple[str, str, str]]:
        """Condition, kind and person of each entry in the log of a draw."""
        rows = self._all(
            "SELECT a.training, r.kind, r.person FROM annotation_drawrecord r "
            "JOIN annotation_cell c ON c.id = r.cell_id JOIN annotation_arm a ON a.id = c.arm_id WHERE r.study_id = %s"
        )
        return [(row["training"], row["kind"], row["person"]) for row in rows]

    @cached_property
    def flags(self) -> list[tuple[str, int]]:
        """Kind and submission of each flag."""
        rows = self._all(
            "SELECT f.kind, f.submission_id AS submission FROM annotation_flag f JOIN annotation_submission s "
            "ON s.id = f.submission_id JOIN annotation_hit h ON h.id = s.hit_id WHERE h.study_id = %s"
        )
        return [(row["kind"], row["submission"]) for row in rows]

    @cached_property
    def checks(self) -> dict[int, list[bool]]:
        """By submission, whether each attention check was passed."""
        rows = self._all(
            "SELECT c.submission_id AS submission, c.passed FROM annotation_checkanswer c JOIN annotation_submission s "
            "ON s.id = c.submission_id JOIN annotation_hit h ON h.id = s.hit_id WHERE h.study_id = %s"
        )
        passed: defaultdict[int, list[bool]] = defaultdict(list)
        for row in rows:
            passed[row["submission"]].append(bool(row["passed"]))
        return passed

    @cached_property
    def replied(self) -> set[int]:
        """Submissions whose worker replied."""
        rows = self._all(
            "SELECT r.submission_id AS submission FROM annotation_reply r JOIN annotation_submission s "
            "ON s.id = r.submission_id JOIN annotation_hit h ON h.id = s.hit_id WHERE h.study_id = %s"
        )
        return {row["submission"] for row in rows}

    @cached_property
    def overturned(self) -> int:
        """Rejections that were reversed."""
        rows = self._all("SELECT id FROM annotation_auditevent WHERE study_id = %s AND verb = 'overturn'")
        return len(rows)

    @cached_property
    def left_votes(self) -> list[tuple[str, str, int, bool]]:
        """Criterion, rater, sign of the code and whether the second text was on the left, of preferences that count."""
        rows = self._all(
            "SELECT s.id, w.pseudonym AS rater, j.criterion, l.code, p.sides_changed FROM annotation_judgment j "
            "JOIN annotation_scalelabel l ON l.id = j.label_id "
            "JOIN annotation_presentation p ON p.id = j.presentation_id "
            "JOIN annotation_submission s ON s.id = p.submission_id JOIN annotation_hit h ON h.id = s.hit_id "
            "JOIN annotation_worker w ON w.id = s.worker_id WHERE h.study_id = %s AND p.role = 'item' "
            "AND p.partner_id IS NOT NULL AND p.sides_changed IS NOT NULL"
        )
        gone = {row["id"] for row in self.submissions if row["used"] == "exclude"}
        signs = [(row, Fraction(row["code"])) for row in rows if row["id"] not in gone]
        return [
            (row["criterion"], row["rater"], (code > 0) - (code < 0), bool(row["sides_changed"])) for row, code in signs
        ]

    @cached_property
    def rules(self) -> list[dict[str, Any]]:
        rows = self._all(
            "SELECT number, rules, blind, applied_at FROM annotation_ruleset WHERE study_id = %s ORDER BY number"
        )
        return [row for row in rows if row["applied_at"]]

    @cached_property
    def first_look(self) -> datetime | None:
        """When results could first be seen."""
        rows = self._all(
            "SELECT MIN(at) AS at FROM annotation_auditevent WHERE study_id = %s "
            "AND verb IN ('unblind', 'export', 'export_comparison')"
        )
        return moment(rows[0]["at"]) if rows[0]["at"] else None

    # What follows from the rows.

    @cached_property
    def measured(self) -> bool:
        """Whether the quality checks were run."""
        rows = self._all(
            "SELECT COUNT(*) AS n FROM annotation_evidence e JOIN annotation_submission s ON s.id = e.submission_id "
            "JOIN annotation_hit h ON h.id = s.hit_id WHERE h.study_id = %s"
        )
        return bool(rows[0]["n"])

    @property
    def pairs(self) -> bool:
        return bool(self.study["task"] == "pairwise")

    @property
    def likelihoods(self) -> dict[tuple[str, str], tuple[float, int]]:
        """(log p, length) by generator and text."""
        rows = self._all(
            "SELECT g.name, t.key, l.log_prob, l.length FROM annotation_likelihood l JOIN annotation_text t "
            "ON t.id = l.text_id JOIN annotation_generator g ON g.id = l.generator_id WHERE t.study_id = %s"
        )
        return {(row["name"], row["key"]): (float(row["log_prob"]), int(row["length"])) for row in rows}

    @cached_property
    def contexts(self) -> dict[str, str]:
        """What each text follows: the key and the words of its context."""
        rows = self._all(
            "SELECT t.key, c.key AS context, c.body FROM annotation_text t JOIN annotation_context c "
            "ON c.id = t.context_id WHERE t.study_id = %s AND t.left_out = ''"
        )
        return {row["key"]: f"{row['context']}: {row['body']}" for row in rows}

    @cached_property
    def bodies(self) -> dict[str, str]:
        """The words of each text."""
        rows = self._all("SELECT key, body FROM annotation_text WHERE study_id = %s")
        return {row["key"]: row["body"] for row in rows}

    @cached_property
    def scale(self) -> dict[str, Fraction]:
        """Codes of the labels of the first question."""
        labels = self.words["criteria"][0]["labels"]
        return {" ".join(label.split()).casefold(): Fraction(code) for label, code, _ in labels}

    @cached_property
    def length_units(self) -> list[str]:
        """In what lengths are counted."""
        rows = self._all(
            "SELECT DISTINCT l.length_unit FROM annotation_likelihood l JOIN annotation_text t ON t.id = l.text_id "
            "WHERE t.study_id = %s ORDER BY l.length_unit"
        )
        return [row["length_unit"] for row in rows]

    @property
    def decodings(self) -> dict[str, tuple[str, str]]:
        """By generator: how its texts were decoded, and of which decoding the log-probabilities are."""
        rows = self._all(
            "SELECT DISTINCT g.name, g.decoding AS written, l.decoding AS scored FROM annotation_likelihood l "
            "JOIN annotation_generator g ON g.id = l.generator_id JOIN annotation_text t ON t.id = l.text_id "
            "WHERE t.study_id = %s"
        )
        return {row["name"]: (row["written"], row["scored"]) for row in rows}

    @cached_property
    def decoded(self) -> dict[str, str]:
        """How the texts of each generator were decoded, where that is known."""
        rows = self._all("SELECT name, decoding FROM annotation_generator WHERE study_id = %s")
        return {row["name"]: row["decoding"] for row in rows if row["decoding"]}

    @cached_property
    def sides(self) -> dict[str, str]:
        """Side of each text: "" for a reference, else the generator."""
        return {key: row["generator"] or "" for key, row in self.texts.items()}

    def hj(self, criterion: str = "typicality") -> dict[str, Fraction]:
        """Mean code of each text with a rating that counts."""
        codes: defaultdict[str, list[Fraction]] = defaultdict(list)
        for answer in self.used:
            if answer.criterion == criterion and answer.partner is None:
                codes[answer.text].append(answer.code)
        return {text: sum(values, Fraction(0)) / len(values) for text, values in codes.items()}

    def flagged(self, check: str, least: int, beyond: Callable[[float], bool]) -> int:
        """Raters with a submission whose measured value, of at least so many observations, lies beyond."""
        rows = self._all(
            "SELECT s.worker_id, e.findings FROM annotation_evidence e JOIN annotation_submission s "
            "ON s.id = e.submission_id JOIN annotation_hit h ON h.id = s.hit_id WHERE h.study_id = %s"
        )
        found = set()
        for row in rows:
            findings = row["findings"]
            value, _, _, n = (json.loads(findings) if isinstance(findings, str) else findings).get(check, [None] * 4)
            if value is not None and (n or 0) >= least and beyond(value):
                found.add(row["worker_id"])
        return len(found)

    def alpha(self, criterion: str, *, ordinal: bool) -> float | None:
        """Krippendorff's alpha of a criterion, pair by pair; None where all answers are one."""
        units: defaultdict[tuple[str, str | None], list[Fraction]] = defaultdict(list)
        for answer in self.used:
            if answer.criterion == criterion:
                units[answer.text, answer.partner].append(answer.code)
        units_of_two = [codes for codes in units.values() if len(codes) > 1]
        times = Counter(code for codes in units_of_two for code in codes)
        total = sum(times.values())

        def apart(a: Fraction, b: Fraction) -> float:
            if not ordinal:
                return float(a != b)
            between = sum(number for code, number in times.items() if min(a, b) <= code <= max(a, b))
            return 0.0 if a == b else (between - (times[a] + times[b]) / 2) ** 2

        observed = sum(
            sum(apart(a, b) for a in codes for b in codes) / (len(codes) - 1) for codes in units_of_two
        ) / max(1, total)
        expected = sum(times[a] * times[b] * apart(a, b) for a in times for b in times) / max(1, total * (total - 1))
        return 1 - observed / expected if expected else None

    def ratings_of_texts(self) -> Counter[tuple[str, str]]:
        """Raters of each text (or pair) on each criterion, without those whose ratings are all excluded."""
        seen: dict[tuple[str, str], set[int]] = {}
        for answer in self.answers:
            if not answer.excluded:
                seen.setdefault((answer.text, answer.criterion), set()).add(answer.submission)
        return Counter({key: len(raters) for key, raters in seen.items()})

    def huse(self, generator: str, k: int, *, quality_only: bool = False) -> tuple[float, int] | None:
        """HUSE (or HUSE-Q) of a generator by a plain double loop, and its number of texts."""
        hj = self.hj()
        keys = [key for key, side in self.sides.items() if side in ("", generator) and key in hj]
        codes = [float(hj[key]) for key in keys]
        rates = [0.0] * len(keys)
        if not quality_only:
            known = self.likelihoods
            if any((generator, key) not in known for key in keys):
                return None
            rates = [known[generator, key][0] / known[generator, key][1] for key in keys]
            if disjoint(self, generator):
                return 0.0, len(keys)  # probability zero tells the sources from each other
        points = list(zip(_scaled(codes), _scaled(rates), strict=True))
        if len(set(points)) == 1:
            return 1.0, len(keys)  # nothing varies: by convention
        truth = [self.sides[key] == "" for key in keys]
        weights = {True: 1 / max(1, truth.count(True)), False: 1 / max(1, truth.count(False))}
        wrong = {True: 0, False: 0}
        for at, point in enumerate(points):
            distances = [(math.dist(point, other), truth[i]) for i, other in enumerate(points) if i != at]
            distances.sort()
            limit = distances[min(k, len(distances)) - 1][0]
            near = [side for distance, side in distances if distance <= limit + TIE]
            reference = sum(weights[side] for side in near if side)
            model = sum(weights[side] for side in near if not side)
            wrong[truth[at]] += (reference >= model - TIE) is not truth[at]
        error = (wrong[True] * weights[True] + wrong[False] * weights[False]) / 2
        return 2 * error, len(keys)

    def accuracies(self, arm: str = "") -> list[float]:
        """Share of right answers of each evaluator (of one arm)."""
        return [hits / total for hits, total in self.right_answers(arm)]

    def right_answers(self, arm: str = "") -> list[tuple[int, int]]:
        """Right answers of each evaluator (of one arm), and all of them."""
        right: defaultdict[str, list[bool]] = defaultdict(list)
        for answer in self.used:
            if answer.criterion == "human_or_machine" and arm in ("", answer.arm):
                right[answer.rater].append((answer.code <= 2) == (self.sides[answer.text] == ""))
        return [(sum(values), len(values)) for values in right.values()]

    @property
    def seconds(self) -> list[int]:
        """Time of each submission: active time where it was measured."""
        return sorted(
            round(row["active_ms"] / 1000) if row["active_ms"] is not None else row["work_seconds"]
            for row in self.submissions
            if row["active_ms"] is not None or row["work_seconds"] is not None
        )

    def question(self) -> str:
        """The questions as shown, of every criterion, with and without a context as the texts are."""
        bodies = self._all(
            "SELECT c.body FROM annotation_text t LEFT JOIN annotation_context c ON c.id = t.context_id "
            "WHERE t.study_id = %s AND t.left_out = ''"
        )
        with_context = {bool(row["body"]) for row in bodies}
        shown: list[str] = []
        for criterion in self.words["criteria"]:
            for context in sorted(with_context, reverse=True):
                text = criterion["question"].replace("{nouns}", self.words["nouns"])
                text = text.replace("{noun}", self.words["noun"])
                text = re.sub(r"\{context:([^}]*)\}", r"\1" if context else "", text)
                if text not in shown:
                    shown.append(text)
        return " / ".join(shown)


def disjoint(rows: Rows, generator: str) -> bool:
    """Whether exactly all texts of one of the two sources have probability zero."""
    sides: defaultdict[bool, set[bool]] = defaultdict(set)
    for (name, text), (total, _) in rows.likelihoods.items():
        if name == generator and rows.sides[text] in ("", generator):
            sides[rows.sides[text] == ""].add(total == -math.inf)
    return sorted(map(list, sides.values())) == [[False], [True]]


def _scaled(values: list[float]) -> list[float]:
    mean = sum(values) / len(values)
    sd = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    return [value / sd if sd > TIE else 0.0 for value in values]


def moment(value: Any) -> datetime:
    """A time of a row in UTC: SQLite gives text."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def day(value: Any) -> str:
    at = moment(value)
    return f"{at.day} {at:%B %Y}"


def money(cents: int, currency: str) -> str:
    digits = DIGITS.get(currency, 2)
    return f"{cents / 10**digits:.{digits}f} {currency}"


def clock(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"


def spread(values: Iterable[int]) -> str:
    low, high = min(values := list(values)), max(values)
    return str(low) if low == high else f"{low} to {high}"


def count(number: int, word: str, many: str = "") -> str:
    return f"{number} {word if number == 1 else many or word + 's'}"


def middle(values: list[int]) -> float:
    return float(median(values))


def decimal(value: float, digits: int = 2) -> str:
    if value == -math.inf:
        return "−∞"
    # A half is rounded away from 0, however it was computed.
    text = f"{math.copysign(math.floor(abs(value) * 10**digits + 0.5 + 1e-9), value) / 10**digits:.{digits}f}"
    return (text[1:] if text.startswith("-") and not text.strip("-0.") else text).replace("-", "−")
