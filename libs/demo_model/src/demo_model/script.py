"""What a script says: rules, replies, tool calls, pacing. Pure data, read from YAML or JSON by `loading`.

Text fields are Jinja templates (see `templates` for the names they may use), except where a field says
otherwise.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from demo_model.faults import AnyFault

Count = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(ge=0)]
Texts = str | tuple[str, ...]


class StreamPace(Struct, frozen=True, forbid_unknown_fields=True):
    """How an answer is cut into chunks and how fast they come. Only streamed answers are cut."""

    size: Count = 16
    """Characters per chunk."""
    chunks: Count | None = None
    """Cut each text into this many chunks instead of by size (fewer if it has fewer characters)."""
    delay: Seconds = 0.0
    """Seconds between two chunks."""
    first: Seconds = 0.0
    """Seconds between the response's headers and the first chunk: a slow first token."""


class ScriptedUsage(Struct, frozen=True, forbid_unknown_fields=True):
    """Token figures to report instead of the counted ones (about four characters to a token)."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    """Reported as `prompt_tokens_details.cached_tokens`, or as Anthropic's `cache_read_input_tokens`."""
    cache_written: int | None = None
    """Reported as Anthropic's `cache_creation_input_tokens`; OpenAI has no such figure."""
    omit: bool = False
    """Report no usage at all, as some servers do."""
    as_it_goes: bool = False
    """Report usage with every chunk as well, of what has come by then, as some servers do."""


class RequestCondition(Struct, frozen=True, forbid_unknown_fields=True):
    """Conditions on a request. All that are given must hold; in a list, one entry is enough. Case is
    ignored."""

    user_contains: Texts | None = None
    """The last user message contains this text."""
    user_matches: str | None = None
    """A regular expression found in the last user message (its first 10,000 characters); `.` matches line
    ends too. Its groups are `match` in templates."""
    system_contains: Texts | None = None
    """The system prompt contains this text."""
    after_tool: Texts | None = None
    """The last message is a result of a tool of this name."""
    result_contains: Texts | None = None
    """The last message is a tool result that contains this text."""
    failed: bool | None = None
    """Whether a call of the last assistant message failed: its result is an object with `error`."""
    call: Count | None = None
    """This is the n-th model call of the conversation: it holds n-1 assistant messages."""
    step: Count | None = None
    """This is the n-th model call since the last user message."""
    offered: tuple[str, ...] | None = None
    """The request offers every one of these tools."""
    not_offered: tuple[str, ...] | None = None
    """The request offers none of these tools."""


class ScriptedCall(Struct, frozen=True, forbid_unknown_fields=True):
    """A tool call to answer with. Nothing checks that the tool exists: unknown tools may be called on
    purpose."""

    name: str
    arguments: dict[str, Any] = {}
    """Strings in it are templates; a string that is one `{{ expression }}` becomes the value, of any JSON
    type."""
    raw_arguments: str | None = None
    """Sent literally in place of `arguments`, so it may be malformed JSON."""
    id: str | UnsetType | None = UNSET
    """The provider's call id, literally (it may repeat or be empty); null leaves it out.
    Not given, it is `call_<n>_<i>`: the i-th call of the conversation's n-th model call."""
    each: str | None = None
    """A template expression giving a list: one call per element, which templates see as `item`."""


class Reply(Struct, frozen=True, forbid_unknown_fields=True):
    """One answer of the model: text, tool calls, both, or neither."""

    text: str = ""
    parts: bool = False
    """Send the text as a list of parts, as some servers do."""
    refusal: str = ""
    """What the model refuses to say, sent in place of text as OpenAI sends it."""
    tool_calls: tuple[ScriptedCall, ...] = ()
    thinking: tuple[dict[str, Any], ...] = ()
    """Blocks of thinking, sent before the text over Anthropic's interface, literally."""
    needs: tuple[str, ...] = ()
    """Tools that must be offered, by template; else `otherwise` answers."""
    otherwise: str | None = None
    """Text when a needed tool is not offered (`missing` lists them). Not given: the rule's, else the
    script's."""
    usage: ScriptedUsage = ScriptedUsage()
    pace: StreamPace | None = None
    finish: str | None = None
    """`finish_reason`; not given: `tool_calls` if there are any, else `stop`."""
    fault: AnyFault | None = None


class ScriptRule(Struct, frozen=True, forbid_unknown_fields=True):
    """What to answer when a request meets a condition. The first rule that applies is played.

    With `reply` the rule applies to every such request. With `turns`, the n-th turn answers the n-th model
    call since the last user message, and past the last turn the rule no longer applies.
    """

    when: RequestCondition | Literal["always"] = "always"
    reply: Reply | None = None
    turns: tuple[Reply, ...] | None = None
    name: str = ""
    needs: tuple[str, ...] = ()
    """Tools that each of the rule's answers needs."""
    otherwise: str | None = None
    fault: AnyFault | None = None
    """For answers that name none of their own."""


class EmbeddingsScript(Struct, frozen=True, forbid_unknown_fields=True):
    """Vectors for texts: each number says how often a text has a word of one of the subjects. Case is
    ignored."""

    subjects: tuple[tuple[str, ...], ...]


class Script(Struct, frozen=True, forbid_unknown_fields=True):
    """An ordered list of rules, and what holds for all of them."""

    rules: tuple[ScriptRule, ...]
    name: str = "script"
    models: tuple[str, ...] = ("demo",)
    """What `GET /v1/models` lists. Any model name is answered."""
    require_key: str | None = None
    """The only API key accepted; others get 401. Not given, no key is needed."""
    context_window: Count | None = None
    """Tokens (as in `ScriptedUsage`) above which a request is refused with `context_length_exceeded`."""
    characters_per_token: Annotated[float, Meta(gt=0)] = 4
    """For `context_window` only: most tokenizers have one or less in Chinese, Japanese and Korean."""
    refuse_schemas: bool = False
    """Whether a request with a tool whose parameters OpenAI doesn't take is refused, in OpenAI's words."""
    embeddings: EmbeddingsScript | None = None
    """What `POST /v1/embeddings` answers by. Not given, it says that the model gives none."""
    pace: StreamPace = StreamPace()
    otherwise: str = "The tools this needs are not offered here: {{ missing | join(', ') }}."
