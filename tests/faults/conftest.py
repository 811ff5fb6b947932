"""The study, the marketplace and the people of the tests of the verbs."""

from tests.annotation.conftest import endpoint, everybody_rates, market, study

__all__ = ["endpoint", "everybody_rates", "market", "study"]
