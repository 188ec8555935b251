"""What the API takes about sessions."""

from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator

from agent_contracts.log.address import PATTERN
from agent_contracts.session_events.inputs import Rating
from agent_contracts.thinking_choice import LEAST_BUDGET, MOST_BUDGET, Effort, ThinkingChoice, thinking_choice
from gateway.http.wire.request import Id, Request, Text, Title, of_a_length
from gateway.operations.sessions.rules import MAX_FILES, MAX_MODEL, MAX_RATING_TEXT, MAX_TEXT, MAX_TOKENS

Tokens = Annotated[int, Field(ge=1, le=MAX_TOKENS, description="input + output tokens of the whole session")]


class ThinkingRequest(Request):
    """How hard the model of a session thinks before it answers, and how many tokens that may take. If only
    one is set, the model's default applies to the other."""

    effort: Effort | None = None
    budget: Annotated[int, Field(ge=LEAST_BUDGET, le=MOST_BUDGET)] | None = None

    def choice(self) -> ThinkingChoice | None:
        """As events have it; None where both are left to the settings."""
        return thinking_choice(self.effort, self.budget)


class CreateSession(Request):
    """Everything may be left out. `message` is said at once, with `files`: ids of files that all sessions of
    the agent see. `model`: as provider/model, or a chain of at most five, separated by commas; `thinking`: as
    settings say, if it is left out."""

    agent_id: Id | None = None
    message: Text | None = None
    model: Annotated[str, Field(min_length=1, max_length=MAX_MODEL)] | None = None
    thinking: ThinkingRequest | None = None
    token_limit: Tokens | None = None
    title: Title | None = None
    files: Annotated[list[Id], Field(max_length=MAX_FILES)] = Field(default=[])


_PromptArgument = Annotated[str, Field(max_length=20_000)]


class ChosenPrompt(Request):
    """A prompt of one of the agent's MCP servers, by its name there, and what is put in."""

    server: Annotated[str, Field(min_length=1, max_length=32)]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    arguments: Annotated[dict[str, _PromptArgument], Field(max_length=20)] = Field(default={})


class PostMessage(Request):
    """Something a person says, or sends: it has text, files or a prompt. `files` are ids of files that the
    session sees; send them by `POST /files` with its `session_id` before. With a `prompt` its server says
    the words, so there is no text."""

    text: Annotated[
        str, AfterValidator(of_a_length), Field(description=f"at most {MAX_TEXT:,} characters")
    ] = ""
    files: Annotated[list[Id], Field(max_length=MAX_FILES)] = Field(default=[])
    prompt: ChosenPrompt | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.prompt is not None:
            if self.text:
                raise ValueError("A message has either text or a prompt, whose server says the words")
        elif not self.text.strip() and not self.files:
            raise ValueError("A message must have text")
        return self


class PostToolResponse(Request):
    """An answer to a pending call.

    To `ask_user`: `{"answer": str}`. To `render_and_wait`: `{"action": str, …}`. To `render_blocks`:
    `{"action": "submit", "data": {…}}` where there is a form, and `{"action": "dismiss"}`; so to a form
    of steps, with the values of all of them. To a call that waits for a yes:
    `{"decision": "once" | "session" | "commands" | "always" | "refuse"}`, with `arguments` to run it with
    others, or with a `reason`."""

    call_id: Id
    response: Any


class Continue(Request):
    """The new limit, for a session that reached its old one."""

    token_limit: Tokens


class Pin(Request):
    """Above the others in the list, or not."""

    pinned: bool = True


class RateAnswer(Request):
    """Which answer, and what a person thinks of it: `up`, `down`, or null to take a rating back. `text` says
    why; without it an earlier text goes too."""

    answer: Annotated[
        str, Field(max_length=20, pattern=PATTERN, description="the `address` of the assistant's message")
    ]
    rating: Rating | None
    text: Annotated[str, Field(min_length=1, max_length=MAX_RATING_TEXT, pattern=r"\S")] | None = None

    @model_validator(mode="after")
    def _of_a_rating(self) -> Self:
        if self.rating is None and self.text is not None:
            raise ValueError("A text goes with a rating: up or down")
        return self


class RenameSession(Request):
    """Another title."""

    title: Title


class ReadForApp(Request):
    """The resource by its address at the server. `approved` as in `CallForApp`."""

    uri: Annotated[str, Field(min_length=1, max_length=2000)]
    approved: bool = False


class CallForApp(Request):
    """The tool by the server's own name, and what to call it with. `approved`: the person before the app said
    yes to exactly this, as the problem `approval_needed` asked for."""

    tool: Annotated[str, Field(min_length=1, max_length=200)]
    arguments: dict[str, Any] = Field(default_factory=dict)
    approved: bool = False
