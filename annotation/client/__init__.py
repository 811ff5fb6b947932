"""A studio from Python: a typed client of the web API, which knows neither Django nor anything else of Assay's server.

`connect` opens a `Studio`: it lists studies, makes them, and asks people about texts as a function does (`Studio.ask`).
A `RemoteStudy` is one study: its texts, ratings, evidence and snapshot as DataFrames, and its deeds. It needs httpx
(`pip install 'textassay[client]'`).
"""

from annotation.client.errors import StudioError as StudioError
from annotation.client.studio import Studio as Studio
from annotation.client.studio import connect as connect
from annotation.client.study import RemoteStudy as RemoteStudy
