"""manage.py import_texts FILE --study NAME [--create]: put texts into a draft study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction
from django.utils import timezone

from annotation.datasets.texts import TextFile, read_texts
from annotation.doors import sentences, study_called
from annotation.flows.add_texts import TextsAdded, add_texts
from annotation.flows.create import Plan, create
from annotation.management.commands import _imports as imports


class Command(BaseCommand):
    help = "Import reference and model texts from CSV or JSON Lines (all or nothing; see docs/import.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        imports.add_file_options(parser, mapping="what the file calls our columns")
        parser.add_argument("--create", action="store_true", help="make the study if there is none of that name")
        parser.add_argument("--likelihoods", type=Path, metavar="FILE", help="log p by text and generator")
        parser.add_argument("--generator", metavar="NAME", help="generator of model texts that name none")

    def handle(self, *args: Any, **options: Any) -> None:
        with sentences():
            found = read_texts(
                options["file"],
                mapping=options["mapping"],
                likelihoods=options["likelihoods"],
                generator=options["generator"],
                delimiter=imports.delimiter_of(options),
            )
            added = self._add(found, options)
        for warning in found.warnings:
            self.stdout.write(f"Warning: {warning}")
        models = ", ".join(f"{count} of {name}" for name, count in added.by_generator.items()) or "none of a generator"
        self.stdout.write(
            f"Added {added.texts} texts to the study {options['study']}: {added.references} references, {models}; "
            f"{added.contexts} contexts, {added.likelihoods} log-probabilities."
        )

    def _add(self, found: TextFile, options: dict[str, Any]) -> TextsAdded:
        now, owner, actor = timezone.now(), imports.user_named(options["owner"]), imports.ACTOR
        with transaction.atomic():
            if options["create"]:
                study = create(options["study"], mode="live", plan=Plan(), actor=actor, now=now, owner=owner)
            else:
                study = study_called(options["study"])
            return add_texts(study, found.texts, actor=actor, now=now, origin=found.provenance)
