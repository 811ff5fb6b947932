"""How large a study is, for whom decides between plans: contexts, raters of a text, people, texts of a task."""

from __future__ import annotations

import math
from dataclasses import dataclass

from metrics.errors import BadInput


@dataclass(frozen=True, slots=True)
class StudySize:
    """contexts, each with one text of every source; raters: of each text; per_hit: texts of a task.

    generators: compared, besides the references. tasks: that one person does, on average. mixed: a task holds texts of
    all sources; false: of one source.
    """

    contexts: int
    raters: int
    per_hit: int = 25
    generators: int = 2
    tasks: float = 1.0
    mixed: bool = True

    def check(self) -> None:
        """Raise BadInput for a size that no study can have."""
        if self.contexts < 2 or self.raters < 1:
            raise BadInput("a study has at least 2 contexts and 1 rater of each text", column="contexts")
        if self.per_hit < 1 or self.generators < 1:
            raise BadInput("a task holds at least 1 text, and a study compares at least 1 generator", column="per_hit")
        if not 1 <= self.tasks < math.inf:
            raise BadInput("a person does at least 1 task", column="tasks")

    @property
    def sources(self) -> int:
        """References and generators."""
        return self.generators + 1

    @property
    def texts(self) -> int:
        """Of all sources."""
        return self.contexts * self.sources

    @property
    def pages(self) -> int:
        """Tasks with different texts."""
        return -(-self.texts // self.per_hit)

    @property
    def people(self) -> int:
        """Different raters; nobody does a task twice, so there are at least as many as a text has."""
        return max(self.raters, math.ceil(self.pages * self.raters / self.tasks))
