"""How many texts have a log-probability under each generator, and where these come from."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from annotation.models import Likelihood, Study, Text


@dataclass(frozen=True, slots=True)
class GeneratorCoverage:
    """texts: references and the generator's own. scored: those with a log-probability. models: signatures behind them,
    "" for a file."""

    generator: str
    decoding: str
    texts: int
    scored: int
    models: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether HUSE can be computed."""
        return self.scored >= self.texts > 0


def log_prob_coverage(study: Study) -> list[GeneratorCoverage]:
    """Each generator of the study, by name."""
    judged = study.texts.judged().filter(known_label="")
    references = judged.filter(source=Text.Source.REFERENCE).count()
    by_generator = dict(
        judged.filter(generator__isnull=False).values_list("generator").annotate(n=Count("pk")).order_by()
    )
    rows = (
        Likelihood.objects.filter(generator__study=study, text__in=judged)
        .values_list("generator", "scoring__signature")
        .annotate(n=Count("pk"))
        .order_by("generator", "scoring__signature")
    )
    scored: dict[int, dict[str, int]] = {}
    for generator, signature, count in rows:
        scored.setdefault(generator, {})[signature or ""] = count
    return [
        GeneratorCoverage(
            generator.name,
            generator.decoding,
            references + by_generator.get(generator.pk, 0),
            sum(scored.get(generator.pk, {}).values()),
            tuple(scored.get(generator.pk, {})),
        )
        for generator in study.generators.order_by("name")
    ]
