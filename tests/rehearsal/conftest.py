"""The shipped world, read once, and one small simulation that several tests look at."""

from __future__ import annotations

import pytest

from annotation.rehearsal.world import Design, World
from annotation.rehearsal.world.simulation import Studies, simulate


@pytest.fixture(scope="session")
def world() -> World:
    return World.load()


@pytest.fixture(scope="session")
def studies(world: World) -> Studies:
    return simulate(world, Design(), studies=150, seed=424242)
