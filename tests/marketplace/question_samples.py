"""Questions for HITs of the tests."""

from __future__ import annotations

from xml.sax.saxutils import escape

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
PAGE = '<!DOCTYPE html><html><body><form method="post"><p>Rate this.</p><input name="rating"></form></body></html>'


def html_question(page: str = PAGE, height: str = "0") -> str:
    return (
        f'<HTMLQuestion xmlns="{SCHEMAS}/2011-11-11/HTMLQuestion.xsd"><HTMLContent><![CDATA[{page}]]></HTMLContent>'
        f"<FrameHeight>{height}</FrameHeight></HTMLQuestion>"
    )


def external_question(url: str) -> str:
    return (
        f'<ExternalQuestion xmlns="{SCHEMAS}/2006-07-14/ExternalQuestion.xsd"><ExternalURL>{escape(url)}</ExternalURL>'
        "<FrameHeight>600</FrameHeight></ExternalQuestion>"
    )


def hit_parameters(**changes: object) -> dict:
    """Parameters of a CreateHIT that is accepted; a change to None leaves the member out."""
    usual = {
        "Title": "Rate a text",
        "Description": "Read it and say how typical it is.",
        "Reward": "0.50",
        "LifetimeInSeconds": 86_400,
        "AssignmentDurationInSeconds": 600,
        "AutoApprovalDelayInSeconds": 259_200,
        "MaxAssignments": 1,
        "Question": html_question(),
    }
    return {name: value for name, value in (usual | changes).items() if value is not None}
