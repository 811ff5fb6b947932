"""Thirty questions of people who see Assay for the first time, in their own words.

They were written before the pages of the site, from what each kind of reader has in front of them. A page is written
until they find their answer on it; a question is not rewritten until it finds a page.
"""

from __future__ import annotations

QUESTIONS = (
    # A researcher before the first study.
    "How do I invite my class?",
    "What does it cost to ask 200 people?",
    "How many texts do I need?",
    "How many people should see each text?",
    "Can I try it without spending money?",
    "What columns must my spreadsheet have?",
    "My file has umlauts and they look broken",
    "Can I use Prolific?",
    "Mechanical Turk is closed, what now?",
    "Does my old boto3 script still run?",
    # A researcher whose study runs.
    "How do I pay?",
    "Somebody clicked through without reading, may I reject them?",
    "How do I stop a study that is running?",
    "Can I add more people later?",
    "Who is allowed to see the names of participants?",
    "How do I delete personal data?",
    # A researcher with results; a reviewer or reader of a report.
    "Why is HUSE above 1?",
    "What does the number in brackets mean?",
    "May I compare two studies?",
    "Which of my two models is better?",
    "Raters disagree, is my data useless?",
    "Are the error bars right?",
    "Do you get the same numbers as the original paper?",
    "What do I write for the ethics board?",
    # Somebody who programs, or runs a server.
    "How do I get the results into pandas?",
    "Can I start a study from a script?",
    "How do I compute the log-probability of my texts?",
    "How do I install it on our university server?",
    "What happens when the server crashes in the middle?",
    "How do I make a task of my own?",
)
