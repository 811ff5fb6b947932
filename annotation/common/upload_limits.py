"""How large uploads may be: the one declaration, which settings, forms and the proxy files (deploy/proxy) follow."""

from __future__ import annotations

MIB = 1024 * 1024
# A file of texts, ratings or log-probabilities; a form of the console has three of them at most.
FILE_MIB = 500
FILES_OF_A_FORM = 3
# A file of scores, and a file of training items.
SCORES_MIB = 50
TRAINING_MIB = 1
# Everything else: what a worker submits, and fields of forms. What a worker submits may hold long explanations.
SUBMISSION_MIB = 5
# What a proxy lets through: a little more than the application, whose sentence is better than a proxy's.
PROXY_FORM_MIB = FILES_OF_A_FORM * FILE_MIB + 100
PROXY_SUBMISSION_MIB = SUBMISSION_MIB + 1
