"""People who come to a study of several conditions, leave, come back and finish; and a book of them kept apart.

It drives the marketplace's verbs and shares nothing with the code that draws: who counts where is kept here, from what
each person is seen to do. `python -m tests.benchmarks.arrivals` (`make draws`) writes docs/draws.md.
"""
