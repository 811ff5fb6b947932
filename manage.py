#!/usr/bin/env python
"""Django's command line for Assay."""

import sys
from collections.abc import Sequence


def main(words: Sequence[str]) -> None:
    """Run a command; the first word is the program's name."""
    # The package chooses the settings: those of the installation, else those of development.
    from deploy.embedded import run

    run(words)


if __name__ == "__main__":
    main(sys.argv)
