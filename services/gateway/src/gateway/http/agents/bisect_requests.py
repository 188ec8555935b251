"""What the API takes to bisect an agent."""

from typing import Annotated, Any

from pydantic import Field

from agent_contracts.entities.bisections import Check
from gateway.http.sessions.rewind_requests import Model
from gateway.http.wire.request import Number, Request
from gateway.operations.bisecting.bisections import TOKENS_A_RUN, NewBisection

_Ask = Annotated[str, Field(max_length=20_000)]
_Expected = Annotated[str, Field(max_length=1_000)]


class Bisect(Request):
    """The check, and where to search. Either `ask` a message, whose answer must contain `expect` and must not
    contain `expect_not` (case is ignored; with `regex`, both are regular expressions), or call a `function`
    of the agent with `arguments`, which must return true.

    It held after event `good` (left out: when the agent was made), and fails after `bad` (left out: now).
    Each run may use `token_limit` tokens.
    """

    ask: _Ask | None = None
    expect: _Expected | None = None
    expect_not: _Expected | None = None
    regex: bool = False
    function: Annotated[str, Field(max_length=200)] | None = None
    arguments: dict[str, Any] = Field(default_factory=dict)
    good: Number | None = None
    bad: Number | None = None
    model: Model | None = None
    token_limit: Annotated[int, Field(ge=1_000, le=10_000_000)] = TOKENS_A_RUN

    @property
    def wanted(self) -> NewBisection:
        """What is meant."""
        check = Check(self.ask, self.expect, self.expect_not, self.regex, self.function, self.arguments)
        return NewBisection(check, self.good, self.bad, self.model, self.token_limit)
