"""What the API takes about settings."""

from typing import Annotated, Any

from pydantic import Field

from agent_contracts.questions.generation import Intelligence
from agent_contracts.questions.model_tests import ModelWish
from gateway.http.wire.request import Request

_Values = Annotated[
    dict[Annotated[str, Field(max_length=100)], Any],
    Field(max_length=100, repr=False, description="by name"),
]


class WriteSettings(Request):
    """Values by name, which hold together from the next call on; null resets one. An empty text sets one
    that may be empty to nothing, whatever holds below it. `versions`: those that they must still have."""

    values: _Values
    versions: dict[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict, max_length=100)


class TryModel(Request):
    """The level to test (null: what answers in sessions that name no model), and `values` in place of the
    settings that hold, keys among them, which are not stored."""

    level: Annotated[Intelligence | None, Field(strict=False)] = None
    wants: Annotated[
        ModelWish,
        Field(
            description="one short answer; all checks of what the model can do; the models of its server; "
            "or only whether all is installed that it is asked with"
        ),
    ] = "answer"
    values: _Values = Field(default_factory=dict)
