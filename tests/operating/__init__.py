"""Every command of docs/operating.md, extracted and run: on an empty Debian, or in short in an empty folder."""
