"""People who read what a task pays and how long it takes, do it, and are paid; what they read is kept apart.

The pages are those of the worker site; a parser of its own reads them, in English and in German. Afterwards each
person's amounts are compared with the ledger, the payouts and the files for people who are paid elsewhere.
`python -m tests.benchmarks.pay_as_shown` (`make pay`) writes docs/pay.md.
"""
