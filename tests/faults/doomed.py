"""A worker of the queue that is killed at a named point.

python -m tests.faults.doomed "the name of the point" worker --pool solo ...
"""

from __future__ import annotations

import sys

from celery.__main__ import main as celery


def main() -> None:
    import django

    django.setup()
    from tests.faults import kill_points as points

    points.doom(sys.argv[1], 1)
    sys.argv = ["celery", "-A", "deploy", *sys.argv[2:]]
    celery()


if __name__ == "__main__":
    main()
