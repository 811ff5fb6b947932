"""A migration's operation that creates all its tables at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.models import CreateModel
from django.db.migrations.state import ProjectState
from django.db.models import Model


class CreateTables(Operation):
    """The tables, constraints and indexes to which some operations lead, each table created once in its last form.

    Operations by themselves let Django build every related model anew after each of them, which takes most of the time
    of a first start. operations: `CreateModel`, and what changes models that were created before in the same list.
    """

    reduces_to_sql = True
    reversible = True

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = operations

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """As Django's own operations: the name of the class and its arguments."""
        return type(self).__name__, [self.operations], {}

    def describe(self) -> str:
        """The words of `migrate --plan`."""
        return f"Create {len(self._names())} tables"

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Add the models to the state, which builds them once, when they are first asked for."""
        state.clear_delayed_apps_cache()
        state.__dict__.pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Create the tables in order; foreign keys follow at the end of the migration."""
        for model in self._models(app_label, schema_editor, to_state):
            schema_editor.create_model(model)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Drop the tables, the last first."""
        for model in reversed(self._models(app_label, schema_editor, from_state)):
            schema_editor.delete_model(model)

    def _models(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, state: ProjectState
    ) -> list[type[Model]]:
        models = [state.apps.get_model(app_label, name) for name in self._names()]
        return [model for model in models if self.allow_migrate_model(schema_editor.connection.alias, model)]

    def _names(self) -> list[str]:
        return [operation.name for operation in self.operations if isinstance(operation, CreateModel)]
