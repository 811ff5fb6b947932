"""The papers around a study: its plan for a registry, and what an ethics board and participants read."""
