"""Limits that the documentation states and the service model does not."""

from __future__ import annotations

from typing import Any

from annotation.marketplace.cents import LARGEST_CENTS, cents, dollars
from annotation.marketplace.errors import InvalidParameterError

YEAR = 31_536_000

# Member: least and most, for numbers.
RANGES = {
    "LifetimeInSeconds": (30, YEAR),
    "AssignmentDurationInSeconds": (30, YEAR),
    "AutoApprovalDelayInSeconds": (0, 2_592_000),
    "MaxAssignments": (1, 1_000_000_000),
    "NumberOfAdditionalAssignments": (1, 1_000_000_000),
    "RetryDelayInSeconds": (0, YEAR),
    "TestDurationInSeconds": (1, YEAR),
}
# Member: fewest and most characters, for texts.
LENGTHS = {
    "Title": (1, 128),
    "Description": (1, 2_000),
    "Keywords": (0, 1_000),
    "RequesterAnnotation": (0, 255),
    "RequesterFeedback": (0, 1_024),
    "Reason": (0, 4_096),
    "Subject": (1, 200),
    "MessageText": (1, 4_096),
    "Name": (1, 200),
    "Query": (0, 200),
}
MONEY = ("Reward", "BonusAmount")
# Member: most members of a list.
COUNTS = {"QualificationRequirements": 10, "WorkerIds": 100}


def check_limits(parameters: dict[str, Any]) -> None:
    """Raise InvalidParameterError when a top-level member of `given` is outside its documented limits."""
    for name in parameters.keys() & RANGES.keys():
        minimum, maximum = RANGES[name]
        if not minimum <= parameters[name] <= maximum:
            raise InvalidParameterError(f"{name} must be from {minimum} to {maximum}; it is {parameters[name]}.")
    for name in parameters.keys() & LENGTHS.keys():
        minimum, maximum = LENGTHS[name]
        if not minimum <= len(parameters[name]) <= maximum:
            raise InvalidParameterError(
                f"{name} must have {minimum} to {maximum} characters; it has {len(parameters[name])}."
            )
    for name in parameters.keys() & set(MONEY):
        # The digits are counted first: the pattern allows thousands of them.
        if len(parameters[name]) > 15 or cents(parameters[name]) > LARGEST_CENTS:
            raise InvalidParameterError(
                f"{name} must be at most {dollars(LARGEST_CENTS)}; it is {parameters[name]:.20}."
            )
    for name in parameters.keys() & COUNTS.keys():
        if len(parameters[name]) > COUNTS[name]:
            raise InvalidParameterError(f"{name} must be at most {COUNTS[name]} members.")
