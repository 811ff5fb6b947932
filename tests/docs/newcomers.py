"""Questions of people who see Assay for the first time, in their own words, and where the answer is.

The questions were written before the pages of the site, from what each kind of reader has in front of them. A page is
written until they find their answer on it; a question is not rewritten until it finds a page.
"""

from __future__ import annotations

from typing import NamedTuple


class Question(NamedTuple):
    """What somebody asks, the pages of the site that answer it, and words of the answer that stand on each of them."""

    words: str
    pages: tuple[str, ...]
    answer: str


QUESTIONS = (
    # A researcher before the first study.
    Question("How do I invite my class?", ("link-study.html", "guides/researcher.html"), "a class, a mailing"),
    Question("What does it cost to ask 200 people?", ("first-study.html", "guides/researcher.html"), "the cost beside"),
    Question(
        "How many texts do I need?",
        ("designing.html", "guides/researcher.html", "questions.html"),
        "how many texts and",
    ),
    Question("How many people should see each text?", ("designing.html", "guides/researcher.html"), "raters"),
    Question(
        "Can I try it without spending money?",
        ("quick-start.html", "guides/researcher.html", "questions.html"),
        "play money",
    ),
    Question("What columns must my spreadsheet have?", ("import.html", "guides/researcher.html"), "generator"),
    Question("My file has umlauts and they look broken", ("import.html", "guides/researcher.html"), "encoding"),
    Question("Can I use Prolific?", ("prolific.html", "guides/researcher.html"), "Prolific"),
    Question("Mechanical Turk is closed, what now?", ("migrating.html",), "your script publishes and collects"),
    Question(
        "Does my old boto3 script still run?",
        ("migrating.html", "questions.html"),
        "Nothing in a boto3 script changes but",
    ),
    # A researcher whose study runs.
    Question(
        "How do I pay?", ("managing.html", "guides/researcher.html", "guides/reviewer.html", "questions.html"), "payout"
    ),
    Question(
        "Somebody clicked through without reading, may I reject them?",
        ("judging.html", "guides/reviewer.html"),
        "which the worker reads, and a second",
    ),
    Question("How do I stop a study that is running?", ("running.html",), "recruitment ends"),
    Question("Can I add more people later?", ("running.html", "guides/researcher.html"), "missing"),
    Question(
        "Who is allowed to see the names of participants?",
        ("guides/ethics-board.html", "link-study.html"),
        "whoever has access to the server",
    ),
    Question("How do I delete personal data?", ("managing.html", "guides/ethics-board.html"), "Delete now"),
    # A researcher with results; a reviewer or reader of a report.
    Question("Why is HUSE above 1?", ("guides/report-reader.html", "methods.html"), "chance"),
    Question("What does the number in brackets mean?", ("guides/report-reader.html",), "an estimate and its interval"),
    Question("May I compare two studies?", ("comparing.html", "guides/researcher.html", "questions.html"), "results"),
    Question("Which of my two models is better?", ("answer.html", "guides/researcher.html"), "sentence"),
    Question(
        "Raters disagree, is my data useless?",
        ("guides/report-reader.html",),
        "people disagree honestly",
    ),
    Question("Are the error bars right?", ("guides/report-reader.html", "validity.html"), "simulated studies"),
    Question(
        "Do you get the same numbers as the original paper?",
        ("replication.html", "guides/report-reader.html"),
        "figures",
    ),
    Question("What do I write for the ethics board?", ("link-study.html", "guides/ethics-board.html"), "ethics board"),
    # Somebody who programs, or runs a server.
    Question("How do I get the results into pandas?", ("python.html", "guides/researcher.html"), "DataFrames"),
    Question(
        "Can I start a study from a script?", ("web-api.html", "guides/developer.html", "questions.html"), "script"
    ),
    Question("How do I compute the log-probability of my texts?", ("models.html", "guides/developer.html"), "loglik"),
    Question("How do I install it on our university server?", ("guides/operator.html", "operating.html"), "proxy"),
    Question("What happens when the server crashes in the middle?", ("guides/operator.html",), "killed at any moment"),
    Question("How do I make a task of my own?", ("tasks/another-task.html", "guides/developer.html"), "entry point"),
    # Ten more, asked of the finished site as its readers would; their answers were nowhere among the first results.
    Question("My students do not have accounts, can they still take part?", ("questions.html",), "take part by a link"),
    Question("Is it free?", ("questions.html",), "free software"),
    Question("Does it work on Windows?", ("questions.html",), "run on Linux"),
    Question("Can I use languages other than English?", ("questions.html",), "German and Spanish"),
    Question("What is a HIT?", ("questions.html",), "word for a task"),
    Question("I published with a mistake in the question, what now?", ("questions.html",), "duplicate the study"),
    Question("How do I log in again, I lost my password", ("questions.html", "managing.html"), "sign_in_link"),
    Question("How do I move to another computer?", ("questions.html", "operating.html"), "restore"),
    Question("Can I get my data as an Excel file?", ("questions.html",), "which Excel"),
    Question("How do I cite this?", ("questions.html",), "CITATION.cff"),
    # Seventeen more, whose answers were written afterwards, each on the page that treats the matter.
    Question("How do I turn off mails?", ("operating.html",), "no mail leaves this site"),
    Question("What counts as a bot?", ("guides/reviewer.html",), "one label for all texts"),
    Question("How long does it take until I have results?", ("running.html",), "how fast people come"),
    Question("What happens if nobody does my tasks?", ("running.html",), "costs no pay"),
    Question("A participant wrote me that they want out, what now?", ("link-study.html",), "use their withdrawal code"),
    Question("How much should I pay people per hour?", ("designing.html",), "the hourly pay of a design"),
    Question("On which texts do my raters disagree most?", ("guides/report-reader.html",), "interval is widest"),
    Question("Do I need to know how to program?", ("first-study.html",), "from a file to its report in the console"),
    Question("My texts are very long, can people still read them?", ("tasks/documents.html",), "comes in pieces"),
    Question("Can two of us work on the same study?", ("managing.html",), "invites colleagues"),
    Question("How do I get a picture for my paper?", ("guides/researcher.html",), "figures.pdf"),
    Question("What if my laptop breaks down?", ("operating.html",), "a backup that lies elsewhere"),
    Question("Is the difference between my models significant?", ("answer.html",), "is read from its interval"),
    Question("How do I stop someone from taking part twice?", ("link-study.html",), "recognizes a browser"),
    Question("Can people do it on their phone?", ("link-study.html",), "on their phone"),
    Question("Can I ask more than one question about each text?", ("tasks/several-criteria.html",), "each adds time"),
    Question(
        "How do I notice that ChatGPT answered instead of a person?", ("guides/reviewer.html",), "never excludes alone"
    ),
)
