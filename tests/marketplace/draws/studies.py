"""Studies of several cells, published through the Requester API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from annotation.marketplace.models import Draw, DrawEvent
from tests.marketplace.people import Lab, Person, reason, task_on

LETTERS = "abcdefgh"


@dataclass(frozen=True)
class Study:
    """HITs by the letter of their cell."""

    tag: str
    hits: dict[str, list[dict]]

    @classmethod
    def publish(
        cls, lab: Lab, *, cells: int = 4, places: int = 2, hits: int = 1, tag: str = "drawn", **more: Any
    ) -> Study:
        """`hits` HITs of `places` places in each cell. A parameter that is a function gets the letter of the cell."""

        def hit(letter: str) -> dict:
            keywords = more.get("Keywords", "reading")
            own = {name: value(letter) if callable(value) else value for name, value in more.items()}
            changes = {"Title": "Rate", **own, "Keywords": f"{keywords}, assay:cell={tag}.{letter}"}
            return lab.hit(**{"MaxAssignments": places, **changes})

        return cls(tag, {letter: [hit(letter) for _ in range(hits)] for letter in LETTERS[:cells]})

    def any_hit(self) -> dict:
        return self.hits["a"][0]

    def cell(self, person: Person) -> str:
        """The letter of the cell that a person was assigned to; "" before."""
        known = Draw.objects.filter(worker__worker_id=person.worker_id, study=self.tag).first()
        return known.cell.rpartition(".")[2] if known else ""

    def letter_of(self, hit_id: str) -> str:
        return next(letter for letter, hits in self.hits.items() if hit_id in {hit["HITId"] for hit in hits})

    def enter(self, person: Person) -> Any:
        """Press the start button of the study's card, which must work; the task."""
        answer = person.accept(self.any_hit())
        assert (answer.status_code, reason(answer)) == (200, ""), answer.text
        return task_on(answer)

    def log(self) -> list[tuple[str, str]]:
        """Kind and cell of each event, in the order of their numbers."""
        rows = DrawEvent.objects.filter(study_draw__study=self.tag).order_by("number")
        return [(row.kind, row.cell.rpartition(".")[2]) for row in rows]
