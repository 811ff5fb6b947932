"""QuestionForms for tests."""

from __future__ import annotations

from tests.marketplace.question_samples import SCHEMAS

# The complete example of Amazon's own reference.
TIC_TAC_TOE = f"""<QuestionForm xmlns="{SCHEMAS}/2017-11-06/QuestionForm.xsd">
  <Overview>
    <Title>Game 01523, "X" to play</Title>
    <Text>You are helping to decide the next move in a game of Tic-Tac-Toe.  The board looks like this:</Text>
    <Binary>
      <MimeType><Type>image</Type><SubType>gif</SubType></MimeType>
      <DataURL>http://tictactoe.amazon.com/game/01523/board.gif</DataURL>
      <AltText>The game board, with "X" to move.</AltText>
    </Binary>
    <Text>Player "X" has the next move.</Text>
  </Overview>
  <Question>
    <QuestionIdentifier>nextmove</QuestionIdentifier>
    <DisplayName>The Next Move</DisplayName>
    <IsRequired>true</IsRequired>
    <QuestionContent>
      <Text>What are the coordinates of the best move for player "X" in this game?</Text>
    </QuestionContent>
    <AnswerSpecification>
      <FreeTextAnswer>
        <Constraints><Length minLength="2" maxLength="2" /></Constraints>
        <DefaultText>C1</DefaultText>
      </FreeTextAnswer>
    </AnswerSpecification>
  </Question>
  <Question>
    <QuestionIdentifier>likelytowin</QuestionIdentifier>
    <DisplayName>The Next Move</DisplayName>
    <IsRequired>true</IsRequired>
    <QuestionContent><Text>How likely is it that player "X" will win this game?</Text></QuestionContent>
    <AnswerSpecification>
      <SelectionAnswer>
        <StyleSuggestion>radiobutton</StyleSuggestion>
        <Selections>
          <Selection><SelectionIdentifier>notlikely</SelectionIdentifier><Text>Not likely</Text></Selection>
          <Selection><SelectionIdentifier>unsure</SelectionIdentifier><Text>It could go either way</Text></Selection>
          <Selection><SelectionIdentifier>likely</SelectionIdentifier><Text>Likely</Text></Selection>
        </Selections>
      </SelectionAnswer>
    </AnswerSpecification>
  </Question>
</QuestionForm>"""


def question_form(*parts: str) -> str:
    return f'<QuestionForm xmlns="{SCHEMAS}/2017-11-06/QuestionForm.xsd">{"".join(parts)}</QuestionForm>'


def question(identifier: str, answer: str, *, content: str = "<Text>What?</Text>", required: bool = False) -> str:
    return (
        f"<Question><QuestionIdentifier>{identifier}</QuestionIdentifier><IsRequired>{str(required).lower()}</IsRequired>"
        f"<QuestionContent>{content}</QuestionContent><AnswerSpecification>{answer}</AnswerSpecification></Question>"
    )


def free_text(constraints: str) -> str:
    return f"<FreeTextAnswer><Constraints>{constraints}</Constraints></FreeTextAnswer>"


def selection(names: str, settings: str = "", other: str = "") -> str:
    """A SelectionAnswer with one choice for each letter of `names`."""
    rows = "".join(
        f"<Selection><SelectionIdentifier>{name}</SelectionIdentifier><Text>Choice {name}</Text></Selection>"
        for name in names
    )
    return f"<SelectionAnswer>{settings}<Selections>{rows}{other}</Selections></SelectionAnswer>"


def answer_key(rows: str, mapping: str = "") -> str:
    return f'<AnswerKey xmlns="{SCHEMAS}/2005-10-01/AnswerKey.xsd">{rows}{mapping}</AnswerKey>'


def marks(identifier: str, options: dict[str, int], default: int | None = None) -> str:
    """The Question of an answer key: letters that must be chosen, and their score."""
    inner = "".join(
        "<AnswerOption>"
        + "".join(f"<SelectionIdentifier>{name}</SelectionIdentifier>" for name in names)
        + f"<AnswerScore>{score}</AnswerScore></AnswerOption>"
        for names, score in options.items()
    )
    inner += f"<DefaultScore>{default}</DefaultScore>" if default is not None else ""
    return f"<Question><QuestionIdentifier>{identifier}</QuestionIdentifier>{inner}</Question>"
