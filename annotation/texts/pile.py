"""The texts of a study as a page lists them."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from annotation.models import Study, Text


def average_words(study: Study, *, of: int = 200) -> float:
    """Words of a text with its context, over the first `of` texts that are judged; 0 without texts."""
    rows = study.texts.judged().order_by("pk").values_list("body", "context__body")[:of]
    counts = [len(body.split()) + len((context or "").split()) for body, context in rows]
    return sum(counts) / len(counts) if counts else 0.0


@dataclass(frozen=True, slots=True)
class Pile:
    """The study's judged texts: how many of the references, by domain; of each generator, by domain."""

    references: dict[str, int]
    generators: dict[str, dict[str, int]]

    @property
    def domains(self) -> tuple[str, ...]:
        named = {domain for counts in (self.references, *self.generators.values()) for domain in counts}
        return tuple(sorted(named - {""}))

    @property
    def total(self) -> int:
        return sum(self.references.values()) + sum(sum(counts.values()) for counts in self.generators.values())

    def pairs_of_cell(self, domain: str = "", generator: str = "") -> int:
        """How many pairs a cell shows where each context has a text of two sources: half of its texts."""
        return -(-self.of_cell(domain, generator) // 2)

    def of_cell(self, domain: str = "", generator: str = "") -> int:
        """How many texts a cell shows: the references, and those of its generator or of all."""
        chosen = [self.generators.get(generator, {})] if generator else list(self.generators.values())
        counts = [self.references, *chosen]
        return sum(sum(by_domain.values()) if not domain else by_domain.get(domain, 0) for by_domain in counts)


def pile(study: Study) -> Pile:
    """Count the texts, without gold texts, which are not evaluated."""
    rows = study.texts.judged().filter(known_label="").values_list("generator__name", "domain").annotate(n=Count("pk"))
    references: dict[str, int] = {}
    generators: dict[str, dict[str, int]] = {}
    for generator, domain, n in rows.order_by("generator__name", "domain"):
        (generators.setdefault(generator, {}) if generator else references)[domain] = n
    return Pile(references, generators)


def contexts_of_cell(study: Study, domain: str = "", generator: str = "", *, by_source: bool = False) -> int:
    """How many contexts the texts of a cell have. by_source: those of each source counted by themselves."""
    texts = study.texts.judged().filter(known_label="")
    if domain:
        texts = texts.filter(domain=domain)
    if generator:
        texts = texts.filter(Q(generator__name=generator) | Q(source=Text.Source.REFERENCE))
    names = ("context", "generator") if by_source else ("context",)
    count: int = texts.exclude(context=None).order_by().values(*names).distinct().count()
    return count


def filter_texts(study: Study, *, words: str = "", side: str = "", state: str = "") -> QuerySet[Text]:
    """The study's texts, in the order they came. side: `reference` or a generator's name; state: judged or left_out."""
    rows = study.texts.select_related("context", "generator").order_by("pk")
    if words:
        rows = rows.filter(Q(body__icontains=words) | Q(key__icontains=words) | Q(context__key__icontains=words))
    if side == Text.Source.REFERENCE:
        rows = rows.filter(source=side)
    elif side:
        rows = rows.filter(generator__name=side)
    if state:
        rows = rows.filter(left_out="") if state == "judged" else rows.exclude(left_out="")
    return rows
