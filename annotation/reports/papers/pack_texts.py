"""The sentences of the ethics pack, in plain English, German and Spanish, each with the facts that it states.

A sentence is written only where each of its facts is known. `answers.KEY` is what people entered in that language.
VERSION goes up with each change of a text.
"""

from __future__ import annotations

from dataclasses import dataclass

VERSION = "2"
LANGUAGES = ("en", "de", "es")


@dataclass(frozen=True, slots=True)
class PackText:
    """A sentence. place: of `PLACES`. words: by language. facts: paths below `PackFacts`. only_if: a path that must be
    true; a leading `!` asks for false. as_item: a line of a list."""

    key: str
    place: str
    words: dict[str, str]
    facts: tuple[str, ...]
    only_if: tuple[str, ...] = ()
    as_item: bool = False


# Of each place: its document, and its heading.
PLACES: dict[str, tuple[str, dict[str, str]]] = {
    "about": ("sheet", {"en": "What the study is about", "de": "Worum es geht", "es": "De qué trata el estudio"}),
    "task": ("sheet", {"en": "What you do", "de": "Was Sie tun", "es": "Qué hará usted"}),
    "pay": ("sheet", {"en": "What you get", "de": "Was Sie bekommen", "es": "Qué recibe usted"}),
    "risk": (
        "sheet",
        {"en": "Risks and content", "de": "Risiken und Inhalte", "es": "Riesgos y contenido"},
    ),
    "data": (
        "sheet",
        {
            "en": "What is stored, and until when",
            "de": "Was gespeichert wird und bis wann",
            "es": "Qué se guarda y hasta cuándo",
        },
    ),
    "withdraw": (
        "sheet",
        {"en": "If you change your mind", "de": "Wenn Sie es sich anders überlegen", "es": "Si cambia de opinión"},
    ),
    "who": ("sheet", {"en": "Who is responsible", "de": "Wer verantwortlich ist", "es": "Quién es responsable"}),
    "agree": ("consent", {"en": "Your consent", "de": "Ihre Einwilligung", "es": "Su consentimiento"}),
    "after": ("debrief", {"en": "What we studied", "de": "Was wir untersucht haben", "es": "Qué hemos estudiado"}),
    "later": ("debrief", {"en": "From now on", "de": "Wie es weitergeht", "es": "A partir de ahora"}),
}
DOCUMENTS: dict[str, dict[str, str]] = {
    "sheet": {"en": "Information sheet", "de": "Informationsblatt", "es": "Hoja de información"},
    "consent": {"en": "Consent", "de": "Einwilligung", "es": "Consentimiento"},
    "debrief": {"en": "Debrief", "de": "Aufklärung nach der Teilnahme", "es": "Explicación final"},
}


def _text(
    key: str, place: str, en: str, de: str, es: str, *facts: str, only_if: str = "", item: bool = False
) -> PackText:
    return PackText(key, place, {"en": en, "de": de, "es": es}, facts, tuple(only_if.split()), item)


TEXTS: tuple[PackText, ...] = (
    _text("about.purpose", "about", "{purpose}", "{purpose}", "{purpose}", "answers.purpose"),
    _text("about.invited", "about", "{who}", "{who}", "{who}", "answers.who"),
    _text(
        "task.text",
        "task",
        "In each task you read a text and answer questions about it.",
        "In jeder Aufgabe lesen Sie einen Text und beantworten Fragen dazu.",
        "En cada tarea usted lee un texto y responde preguntas sobre él.",
        "texts_per_task",
        only_if="texts_per_task=1",
    ),
    _text(
        "task.texts",
        "task",
        "In each task you read {texts} texts and answer questions about them.",
        "In jeder Aufgabe lesen Sie {texts} Texte und beantworten Fragen dazu.",
        "En cada tarea usted lee {texts} textos y responde preguntas sobre ellos.",
        "texts_per_task",
        only_if="!texts_per_task=1",
    ),
    _text(
        "task.pair",
        "task",
        "In each task you read two texts and compare them.",
        "In jeder Aufgabe lesen Sie zwei Texte und vergleichen sie.",
        "En cada tarea usted lee dos textos y los compara.",
        "pairs_per_task",
        only_if="pairs_per_task=1",
    ),
    _text(
        "task.pairs",
        "task",
        "In each task you read {pairs} pairs of texts and compare the two texts of each.",
        "In jeder Aufgabe lesen Sie {pairs} Paare von Texten und vergleichen die zwei Texte jedes Paares.",
        "En cada tarea usted lee {pairs} pares de textos y compara los dos textos de cada par.",
        "pairs_per_task",
        only_if="!pairs_per_task=1",
    ),
    _text(
        "task.estimated_minute",
        "task",
        "We expect that a task takes about a minute.",
        "Wir erwarten, dass eine Aufgabe etwa eine Minute dauert.",
        "Calculamos que una tarea dura un minuto, más o menos.",
        "minutes",
        only_if="!measured minutes=1",
    ),
    _text(
        "task.estimated",
        "task",
        "We expect that a task takes about {minutes} minutes.",
        "Wir erwarten, dass eine Aufgabe etwa {minutes} Minuten dauert.",
        "Calculamos que una tarea dura unos {minutes} minutos.",
        "minutes",
        only_if="!measured !minutes=1",
    ),
    _text(
        "task.measured_minute",
        "task",
        "Half of the people so far needed about a minute or less for a task.",
        "Die Hälfte der bisherigen Personen brauchte etwa eine Minute oder weniger für eine Aufgabe.",
        "La mitad de las personas hasta ahora necesitó más o menos un minuto, o menos, por tarea.",
        "minutes",
        only_if="measured minutes=1",
    ),
    _text(
        "task.measured",
        "task",
        "Half of the people so far needed about {minutes} minutes or less for a task.",
        "Die Hälfte der bisherigen Personen brauchte etwa {minutes} Minuten oder weniger für eine Aufgabe.",
        "La mitad de las personas hasta ahora necesitó unos {minutes} minutos o menos por tarea.",
        "minutes",
        only_if="measured !minutes=1",
    ),
    _text(
        "task.allowed_minute",
        "task",
        "You have a minute to submit a task.",
        "Sie haben eine Minute Zeit, um eine Aufgabe abzugeben.",
        "Tiene un minuto para entregar una tarea.",
        "allowed_minutes",
        only_if="allowed_minutes=1",
    ),
    _text(
        "task.allowed",
        "task",
        "You have {allowed} minutes to submit a task.",
        "Sie haben {allowed} Minuten Zeit, um eine Aufgabe abzugeben.",
        "Tiene {allowed} minutos para entregar una tarea.",
        "allowed_minutes",
        only_if="!allowed_minutes=1",
    ),
    _text(
        "task.checks",
        "task",
        "Questions in each task that check whether you read carefully: {checks}.",
        "Fragen in jeder Aufgabe, die prüfen, ob Sie aufmerksam lesen: {checks}.",
        "Preguntas en cada tarea que comprueban si usted lee con atención: {checks}.",
        "checks",
    ),
    _text(
        "pay.reward",
        "pay",
        "A task pays {reward}.",
        "Eine Aufgabe wird mit {reward} bezahlt.",
        "Por cada tarea se pagan {reward}.",
        "reward_cents",
        "currency",
        only_if="!volunteers",
    ),
    _text(
        "pay.range",
        "pay",
        "A task pays between {low} and {high}.",
        "Eine Aufgabe wird mit {low} bis {high} bezahlt.",
        "Por cada tarea se pagan entre {low} y {high}.",
        "reward_range",
        "currency",
        only_if="!volunteers",
    ),
    _text(
        "pay.hour",
        "pay",
        "At that time per task this is {hourly} per hour.",
        "Bei dieser Dauer sind das {hourly} in der Stunde.",
        "Con esa duración son {hourly} por hora.",
        "hourly_cents",
        "currency",
        only_if="!volunteers",
    ),
    _text(
        "pay.none",
        "pay",
        "You take part without pay.",
        "Sie nehmen ohne Bezahlung teil.",
        "Usted participa sin recibir dinero.",
        "volunteers",
        only_if="volunteers",
    ),
    _text(
        "pay.approval_day",
        "pay",
        "Work without a decision after a day is approved and paid.",
        "Hat nach einem Tag niemand über Ihre Arbeit entschieden, so ist sie angenommen und wird bezahlt.",
        "Si después de un día nadie ha decidido sobre su trabajo, se aprueba y se paga.",
        "approval_days",
        only_if="!volunteers approval_days=1",
    ),
    _text(
        "pay.approval",
        "pay",
        "Work without a decision after {approval_days} days is approved and paid.",
        "Hat nach {approval_days} Tagen niemand über Ihre Arbeit entschieden, so ist sie angenommen und wird bezahlt.",
        "Si después de {approval_days} días nadie ha decidido sobre su trabajo, se aprueba y se paga.",
        "approval_days",
        only_if="!volunteers !approval_days=1",
    ),
    _text("pay.benefits", "pay", "{benefits}", "{benefits}", "{benefits}", "answers.benefits"),
    _text("risk.risks", "risk", "{risks}", "{risks}", "{risks}", "answers.risks"),
    _text("risk.content", "risk", "{content}", "{content}", "{content}", "answers.content"),
    _text("risk.support", "risk", "{support}", "{support}", "{support}", "answers.support"),
    _text(
        "risk.stop",
        "risk",
        "You may stop at any time and return an open task. This has no consequences for you.",
        "Sie können jederzeit aufhören und eine offene Aufgabe zurückgeben. Das hat keine Folgen für Sie.",
        "Puede dejarlo en cualquier momento y devolver una tarea abierta. No tendrá consecuencias para usted.",
        "can_return",
    ),
    _text(
        "data.answers",
        "data",
        "Your answers are stored under a random name, not under yours.",
        "Ihre Antworten werden unter einem zufälligen Namen gespeichert, nicht unter Ihrem.",
        "Sus respuestas se guardan con un nombre al azar, no con el suyo.",
        "pseudonyms",
        item=True,
    ),
    _text(
        "data.comments",
        "data",
        "You can write comments. Please write nothing in them that shows who you are.",
        "Sie können Kommentare schreiben. Schreiben Sie bitte nichts hinein, woran man Sie erkennt.",
        "Puede escribir comentarios. Por favor, no escriba nada que muestre quién es usted.",
        "has_comments",
        only_if="has_comments",
        item=True,
    ),
    _text(
        "data.identity",
        "data",
        "Your worker ID, and your name or address if you gave it, are stored in another place. "
        "They are deleted on {until}.",
        "Ihre Kennung, und Ihr Name oder Ihre Adresse, wenn Sie sie angegeben haben, werden an anderer Stelle "
        "gespeichert. Sie werden am {until} gelöscht.",
        "Su identificador, y su nombre o dirección si los dio, se guardan en otro lugar. Se borran el {until}.",
        "retain_until",
        item=True,
    ),
    _text(
        "data.device_day",
        "data",
        "A code of your device is stored for a day. It shows whether a person takes part twice.",
        "Ein Code Ihres Geräts wird einen Tag gespeichert. Er zeigt, ob jemand zweimal teilnimmt.",
        "Un código de su dispositivo se guarda un día. Muestra si alguien participa dos veces.",
        "device_days",
        only_if="device_days=1",
        item=True,
    ),
    _text(
        "data.device",
        "data",
        "A code of your device is stored for {device_days} days. It shows whether a person takes part twice.",
        "Ein Code Ihres Geräts wird {device_days} Tage gespeichert. Er zeigt, ob jemand zweimal teilnimmt.",
        "Un código de su dispositivo se guarda {device_days} días. Muestra si alguien participa dos veces.",
        "device_days",
        only_if="!device_days=1",
        item=True,
    ),
    _text(
        "data.books",
        "data",
        "Payments and the log of decisions stay, under a random name.",
        "Zahlungen und das Protokoll der Entscheidungen bleiben, unter einem zufälligen Namen.",
        "Los pagos y el registro de decisiones se conservan, con un nombre al azar.",
        "pseudonyms",
        item=True,
    ),
    _text(
        "data.prolific",
        "data",
        "Prolific learns which of your submissions are approved, and your bonus.",
        "Prolific erfährt, welche Ihrer Einreichungen angenommen sind, und Ihren Bonus.",
        "Prolific recibe qué entregas suyas se aprueban y su bonificación.",
        "on_prolific",
        only_if="on_prolific",
        item=True,
    ),
    _text("data.storage", "data", "{storage}", "{storage}", "{storage}", "answers.storage"),
    _text("data.sharing", "data", "{sharing}", "{sharing}", "{sharing}", "answers.sharing"),
    _text(
        "data.agree_to_share",
        "data",
        "Your answers are published only if you tick a box on the task page. If you do several tasks, the last counts.",
        "Ihre Antworten werden nur veröffentlicht, wenn Sie auf der Aufgabenseite ein Kästchen ankreuzen. Bei mehreren "
        "Aufgaben zählt die letzte.",
        "Sus respuestas se publican solo si marca una casilla en la página de la tarea. Si hace varias tareas, cuenta "
        "la última.",
        "sharing_question",
    ),
    _text(
        "withdraw.code",
        "withdraw",
        "You get a code. With it you can have your answers erased, and you keep your pay. The code ends if you ask us "
        "to erase who you are.",
        "Sie bekommen einen Code. Damit können Sie Ihre Antworten löschen lassen und behalten Ihr Geld. Der Code gilt "
        "nicht mehr, wenn Sie uns bitten, zu löschen, wer Sie sind.",
        "Recibe un código. Con él puede hacer borrar sus respuestas y conserva su pago. El código deja de valer si nos "
        "pide que borremos quién es usted.",
        "has_withdrawal_code",
        only_if="has_withdrawal_code",
    ),
    _text(
        "withdraw.published",
        "withdraw",
        "Answers that are published by then cannot be erased there.",
        "Antworten, die dann schon veröffentlicht sind, können dort nicht gelöscht werden.",
        "Las respuestas que ya estén publicadas no se pueden borrar allí.",
        "sharing_question",
    ),
    _text(
        "withdraw.write",
        "withdraw",
        "To have your answers erased, write to {contact}.",
        "Wenn Ihre Antworten gelöscht werden sollen, schreiben Sie an {contact}.",
        "Para que se borren sus respuestas, escriba a {contact}.",
        "contact",
    ),
    _text(
        "withdraw.access",
        "withdraw",
        "You can ask what is stored about you, and get a copy.",
        "Sie können fragen, was über Sie gespeichert ist, und eine Kopie bekommen.",
        "Puede preguntar qué hay guardado sobre usted y recibir una copia.",
        "can_show_person",
    ),
    _text("who.controller", "who", "{controller}", "{controller}", "{controller}", "answers.controller"),
    _text(
        "who.contact",
        "who",
        "Write to {contact} if you have questions.",
        "Wenn Sie Fragen haben, schreiben Sie an {contact}.",
        "Si tiene preguntas, escriba a {contact}.",
        "contact",
    ),
    _text(
        "who.ethics",
        "who",
        "Ethics review: {ethics}",
        "Ethikprüfung: {ethics}",
        "Revisión ética: {ethics}",
        "ethics",
    ),
    _text("who.legal", "who", "{legal_basis}", "{legal_basis}", "{legal_basis}", "answers.legal_basis"),
    _text(
        "agree.read",
        "agree",
        "I have read the information sheet (version {version}).",
        "Ich habe das Informationsblatt (Version {version}) gelesen.",
        "He leído la hoja de información (versión {version}).",
        "sheet_version",
        item=True,
    ),
    _text(
        "agree.free",
        "agree",
        "I take part of my own free will. I know that I may stop at any time.",
        "Ich nehme freiwillig teil. Ich weiß, dass ich jederzeit aufhören kann.",
        "Participo por mi propia voluntad. Sé que puedo dejarlo en cualquier momento.",
        "can_return",
        item=True,
    ),
    _text(
        "agree.data",
        "agree",
        "I agree that my answers are stored as described, and that what shows who I am is deleted on {until}.",
        "Ich bin einverstanden, dass meine Antworten wie beschrieben gespeichert werden und dass am {until} gelöscht "
        "wird, was zeigt, wer ich bin.",
        "Acepto que mis respuestas se guarden como se describe y que el {until} se borre lo que muestra quién soy.",
        "retain_until",
        item=True,
    ),
    _text(
        "agree.share",
        "agree",
        "{question}",
        "{question}",
        "{question}",
        "sharing_question",
        item=True,
    ),
    _text("after.purpose", "after", "{debrief}", "{debrief}", "{debrief}", "answers.debrief"),
    _text(
        "later.withdraw",
        "later",
        "You can still have your stored answers erased, with the code that you got.",
        "Sie können Ihre gespeicherten Antworten noch löschen lassen, mit dem Code, den Sie bekommen haben.",
        "Todavía puede hacer borrar sus respuestas guardadas, con el código que recibió.",
        "has_withdrawal_code",
        only_if="has_withdrawal_code",
    ),
    _text(
        "later.contact",
        "later",
        "Write to {contact} if something in the study upset you or if you have questions.",
        "Schreiben Sie an {contact}, wenn Sie etwas in der Studie belastet hat oder wenn Sie Fragen haben.",
        "Escriba a {contact} si algo del estudio le ha afectado o si tiene preguntas.",
        "contact",
    ),
    _text("later.support", "later", "{support}", "{support}", "{support}", "answers.support"),
)

# What people are asked, in the language of the pack: key, label, hint. The optional ones may be left empty.
QUESTIONS: tuple[tuple[str, str, str], ...] = (
    ("purpose", "What the study is about", "Two or three sentences that everybody understands."),
    ("who", "Who may take part", "Such as: You are at least 18 years old and speak English."),
    ("benefits", "Benefits", "For the person or for others; that there are none is an answer, too."),
    ("risks", "Risks", "That you expect none is an answer, too."),
    ("content", "Content warnings", "What the texts may contain that upsets readers, or that you know of none."),
    ("support", "Help", "What a person can do, or whom they can call, who is upset."),
    ("storage", "Where it is stored", "The country of the server and of its backups, and who can read them."),
    ("sharing", "Sharing", "Whether answers are published, in which form, and where. Empty: they are not."),
    ("controller", "Controller", "Institution, address, and its data protection officer."),
    ("legal_basis", "Legal basis", "Such as: The legal basis is your consent (GDPR, Article 6(1)(a))."),
    ("debrief", "Debrief", "What you wanted to find out, and what people did not know before."),
)
OPTIONAL = frozenset({"sharing"})
# Of these two either both are there or none.
SHARING_WITHOUT_QUESTION = (
    "The question whether answers may be published: the task page does not ask it yet (page Task text)."
)
SHARING_WITHOUT_DESCRIPTION = "Sharing. The task page asks whether answers may be published: in which form, and where?"
ANSWER_KEYS = tuple(key for key, _, _ in QUESTIONS)
# Facts that are stored elsewhere: where a person enters them.
STORED_ELSEWHERE = {
    "contact": "Whom participants can write to (study details).",
    "ethics": "Ethics board and approval number, or why none was needed (study details).",
    "retain_until": "The day on which worker IDs are deleted (page Retention).",
    "reward_cents": "What a task pays: the study has no texts or no task text yet (page Task).",
}
