"""The methods paragraph on quality: what was really done, in sentences that a paper can print."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from annotation.quality.filters import BROKEN_PAIR, BY_KIND, CODED, NEVER_ALONE, NOTED, OF_TEXTS, STYLE
from annotation.quality.rules import Rule, Tabulated, Thinned
from metrics.data.country_names import name_country
from metrics.data.number_format import p_value, plural

NOTHING = "No rater, assignment or item was excluded."
NOTHING_BEYOND = "Beyond the recruitment criteria, no rater, assignment or item was excluded."
NOTHING_ELSE = "No other submission was excluded."
DETECTED = "machine_written"
Recruitment = tuple[int | None, int | None, str]


@dataclass(frozen=True, slots=True)
class Done:
    """What was done about the quality of a study's work.

    recruitment: percent approved, approved HITs (each more than this, None: any), country ("": any). submissions:
    submitted. left_out: excluded from the analysis; by_hand of them by a person's decision, late of these after results
    were seen; again: for the person had taken part before, whose first work is used; included: excluded by a rule that
    holds, and included by a person's decision. rules: that hold; hits: by kind, the submissions excluded for which a
    rule holds, and of how many people. blind: whether the rules were locked before results were seen; None without.
    by_source, by_condition: tables with their tests. refused: rejections, `elsewhere` of them on the market, not by
    two reviewers; undecided: payments of which nothing is recorded. left: ratings left by text; None where they are
    not counted. flagged: submissions by kind of flag. detector: name and version of what looked for
    machine-written explanations ("": nothing did). kappas: of two reviewers, by criterion. gold: control items.
    practised: whether practice answers were given. paid: whether all work is known to have been paid, with real money.
    withdrawn: submissions whose workers had their answers erased. pairs: whether two texts are judged side by side.
    """

    recruitment: Recruitment
    submissions: int
    left_out: int
    by_hand: int
    rules: Sequence[Rule]
    hits: Mapping[str, tuple[int, int]]
    version: int | None
    blind: bool | None
    by_source: Tabulated | None
    by_condition: Tabulated | None
    refused: int
    late: int = 0
    again: int = 0
    included: int = 0
    undecided: int = 0
    elsewhere: int = 0
    left: Thinned | None = None
    flagged: Mapping[str, int] = field(default_factory=dict)
    detector: str = ""
    kappas: Mapping[str, float | None] = field(default_factory=dict)
    gold: int = 0
    practised: bool = False
    paid: bool = False
    withdrawn: int = 0
    pairs: bool = False


def paragraph(done: Done) -> str:
    """The paragraph."""
    return " ".join(part for part in (_recruited(done), *_flagged(done), *_excluded(done), _paid(done)) if part)


def _excluded(done: Done) -> Iterator[str]:
    if done.withdrawn:
        yield _withdrawn(done)
    if not done.left_out and not done.rules:
        if done.submissions:
            yield NOTHING_ELSE if done.withdrawn else NOTHING_BEYOND if _recruited(done) else NOTHING
        return
    yield from (_rule(rule, done) for rule in done.rules if rule.kind not in NEVER_ALONE | OF_TEXTS.keys())
    if done.blind is not None:
        when = "before" if done.blind else "after"
        yield f"These rules (version {done.version}) were fixed {when} results were seen."
    yield _summary(done)
    yield from _texts(done)
    for name, table in (("source", done.by_source), ("condition", done.by_condition)):
        if table and len(table.rows) > 1:
            yield _rates(name, table, "pairs" if done.pairs else "texts")


def _withdrawn(done: Done) -> str:
    was, whose, its = ("was", "its worker", "its") if done.withdrawn == 1 else ("were", "their workers", "their")
    return (
        f"{done.withdrawn} of {done.submissions} submissions {was} withdrawn by {whose}, so that {its} answers are not "
        "in the analysis."
    )


def _recruited(done: Done) -> str:
    percent, hits, country = done.recruitment
    needed = f"an approval rate above {percent}%" if percent is not None else ""
    if hits is not None:
        needed = f"{needed} over more than {hits} tasks" if needed else f"more than {hits} approved tasks"
    # Before anybody has worked, it is what the design asks for.
    need, were = ("needed", "were") if done.submissions else ("need", "are")
    clauses = [f"{need} {needed}"] if needed else []
    clauses += [f"{were} located in {name_country(country)}"] if country else []
    return f"Workers {' and '.join(clauses)}." if clauses else ""


def _rule(rule: Rule, done: Done) -> str:
    return agree_in_number(_rule_in_plural(rule, done))


def agree_in_number(sentence: str) -> str:
    """`1 raters were excluded` as `1 rater was excluded`."""
    singular = re.sub(r"\b1 (rater|assignment|submission)s\b", r"1 \1", sentence)
    if singular == sentence:
        return sentence
    singular = re.sub(r"(1 (?:rater|assignment|submission)) were\b", r"\1 was", singular)
    singular = re.sub(r"(1 (?:rater|assignment|submission)) are\b", r"\1 is", singular)
    return re.sub(r" were excluded\.$", " was excluded.", singular)


def _rule_in_plural(rule: Rule, done: Done) -> str:
    count, raters = done.hits.get(rule.kind, (0, 0))
    if rule.kind in CODED:
        kappa = done.kappas.get(rule.kind)
        return CODED[rule.kind].format(count=count, kappa="not defined" if kappa is None else f"{kappa:.2f}")
    if rule.kind in NOTED:
        return f"{count} assignments are of people held out of new studies."
    check, cut = BY_KIND[rule.kind], rule.cut
    return check.methods.format(
        count=count,
        raters=raters,
        total=done.submissions,
        threshold=check.shown(cut),
        right=check.shown(1 - cut),
        range=f"{100 * max(0.0, 0.1 - cut):.0f} to {100 * min(1.0, 0.98 + cut):.0f}%",
        gold=done.gold,
    )


def _flagged(done: Done) -> Iterator[str]:
    """Describe what raised flags and excluded no work."""
    used = {rule.kind for rule in done.rules}
    if done.detector:
        counted = BY_KIND[DETECTED].methods.format(detector=done.detector, count=done.flagged.get(DETECTED, 0))
        yield agree_in_number(counted)
    if "shared_device" not in used and (count := done.flagged.get("shared_device", 0)):
        these = "this was" if count == 1 else "these were"
        yield f"{plural(count, 'assignment')} shared a device; {these} flagged, not excluded."
    if style := [kind for kind in STYLE if kind not in used and done.flagged.get(kind)]:
        counts = "; ".join(
            f"{BY_KIND[kind].title.lower()}: {plural(done.flagged[kind], 'assignment')}" for kind in style
        )
        yield f"Checks of writing style raised flags only and excluded no submission ({counts})."
    if "practice" not in used and done.practised:
        yield "Training answers were not used to exclude."


def _summary(done: Done) -> str:
    share = 100 * done.left_out / done.submissions if done.submissions else 0.0
    late = f", {done.late} of these after results were seen" if done.late else ""
    hand = f" ({done.by_hand} by a reviewer's decision on the single submission{late})" if done.by_hand else ""
    was = "was" if done.included == 1 else "were"
    included = (
        f" {done.included} that a rule excludes {was} included by a reviewer's decision." if done.included else ""
    )
    before = f" {done.again} of these were of people who had taken part before; their first work was used."
    again = before if done.again else ""
    were = "was" if done.left_out == 1 else "were"
    return f"Of {done.submissions} submissions, {done.left_out} ({share:.1f}%) {were} excluded{hand}.{again}{included}"


def _texts(done: Done) -> list[str]:
    left = done.left
    if left is None:
        return []
    sentences = (
        [f"{left.thin} of {left.texts} items {_has(left.thin)} fewer than {left.min_ratings} ratings."]
        if left.thin
        else []
    )
    if not left.broken:
        return sentences
    dropped = any(rule.kind == BROKEN_PAIR for rule in done.rules)
    then = "; both sides were excluded from the results" if dropped else ""
    side = f"no text with {left.min_ratings} ratings on one side{then}."
    return [*sentences, f"{left.broken} of {left.contexts} contexts {_has(left.broken)} {side}"]


def _has(number: int) -> str:
    return "has" if number == 1 else "have"


def _rates(name: str, table: Tabulated, shown: str) -> str:
    shares = ", ".join(f"{row.group} {100 * row.share:.1f}% of {row.ratings} {shown} shown" for row in table.rows)
    test = f"; permutation test over assignments, {p_value(table.p)}" if table.p is not None else ""
    return f"Exclusion rates by {name} were {shares}{test}."


def _paid(done: Done) -> str:
    if not done.submissions:
        return ""
    if not done.refused and not done.undecided:
        return "All submitted work was paid." if done.paid else "All submitted work was approved."
    sentences = []
    if done.refused:
        how = f", {done.elsewhere} of them on the marketplace" if done.elsewhere else ", each by two reviewers"
        was = "was" if done.refused == 1 else "were"
        sentences.append(f"{done.refused} of {done.submissions} submissions {was} rejected (not paid){how}.")
    if done.undecided:
        sentences.append(f"No decision on payment is recorded for {done.undecided} of {done.submissions} submissions.")
    return " ".join(sentences)
