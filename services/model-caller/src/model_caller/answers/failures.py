"""What can go wrong between us and a model, in words for the person in the chat."""

from collections.abc import Sequence
from importlib.metadata import entry_points

from agent_contracts.errors import Failure
from agent_contracts.extensions import POINTS
from agent_contracts.nearest import nearest
from agent_contracts.session_events.results import FailedTry, ModelFailure, Usage
from agent_domain.model_providers import model_providers
from agent_platform.log.storable_text import storable_text
from agent_platform.secrecy.failure_text import failure_text
from model_caller.choosing.target import ModelTarget
from session_domain.domain.window import KnownWindow

_LONGEST = 1_000
_LONGEST_IN_CHAIN, _MOST_TOLD = 200, 10
"""Characters of a server's words where several servers are told of, and how many of them are."""
_TRANSIENT = frozenset(
    {
        ModelFailure.UNREACHABLE,
        ModelFailure.RATE_LIMITED,
        ModelFailure.OVERLOADED,
        ModelFailure.CUT_STREAM,
        ModelFailure.MALFORMED_ANSWER,
        ModelFailure.TIMEOUT,
    }
)

_SILENT = frozenset(
    {ModelFailure.UNREACHABLE, ModelFailure.OVERLOADED, ModelFailure.CUT_STREAM, ModelFailure.TIMEOUT}
)
"""Failures in which the server didn't do its part, and may be seen to do it again."""

SPOKEN = frozenset(
    {
        ModelFailure.AUTHENTICATION,
        ModelFailure.RATE_LIMITED,
        ModelFailure.OVERLOADED,
        ModelFailure.CONTEXT_LENGTH,
        ModelFailure.BAD_REQUEST,
        ModelFailure.UNKNOWN_MODEL,
    }
)
"""Failures in which the words are the server's own."""


class ModelFault(Failure):
    """One attempt gave no answer. `message` is what the provider or the network said.

    `transient`: the same attempt may succeed later, after `retry_after` seconds if it said so. `status`: the
    one of HTTP with which the server answered, if that is why. `setting`: the cap on spending that it is.
    Where the request was too long: how many tokens it `needed` and the `window` has, as far as that is known.
    `usage`: what the answer cost that is none. `named`: the codes of a refusal, in small letters, and the
    parameter that it is about. `no_api`: nothing at this address is a model's API, which is perhaps at one of
    `instead`. `not_installed`: the package is missing through which the model is asked.
    """

    def __init__(
        self,
        failure: ModelFailure,
        said: str,
        *,
        transient: bool | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(said, kind=failure.value)
        self.failure = failure
        self.transient = failure in _TRANSIENT if transient is None else transient
        self.retry_after = retry_after
        self.status: int | None = None
        self.setting: str | None = None
        self.needed: int | None = None
        self.window: int | None = None
        self.usage: Usage | None = None
        self.named: tuple[str, ...] = ()
        self.no_api = False
        self.not_installed = False
        self.instead: str | None = None

    @property
    def may_answer_again(self) -> bool:
        """Whether it is worth asking again as soon as the server is seen to answer."""
        return self.transient and self.failure in _SILENT


def explain(fault: ModelFault, target: ModelTarget, attempts: int) -> str:
    """What happened, the provider's words, what to do. Holds no key."""
    if fault.failure is ModelFailure.BUDGET:
        return f"{_what_happened(fault.failure, target)} {words(fault)}"
    if fault.no_api:
        return failure_text(_no_api(fault, target))
    if fault.not_installed:
        return failure_text(f"{no_such_provider(target)} {fault.message}".strip())
    tried = f" It was tried {attempts} times." if attempts > 1 else ""
    label = "It said" if fault.failure in SPOKEN else "Details"
    said = f" {label}: “{words(fault)}”" if fault.message else ""
    message = f"{_what_happened(fault.failure, target)}{said}{tried} {_what_to_do(fault.failure, target)}"
    return failure_text(message)


def _no_api(fault: ModelFault, target: ModelTarget) -> str:
    where = target.shown_url or f"the provider of {target.model}"
    meant = f"Did you mean {fault.instead}? " if fault.instead else ""
    said = f" It said: “{words(fault)}”" if fault.message else ""
    return (
        f"No model API at this address: {where}. {meant}Correct *Server* in the Studio's settings, or "
        f"FOLDLINE_MODEL_BASE_URL (it often ends in /v1); nothing is lost.{said}"
    )


_IN_SHORT = {
    ModelFailure.AUTHENTICATION: "its key was refused",
    ModelFailure.UNKNOWN_MODEL: "its server doesn't know it",
    ModelFailure.BAD_REQUEST: "its server refused the request",
    ModelFailure.CONTEXT_LENGTH: "the conversation is too long for it",
    ModelFailure.BUDGET: "too little is left of a budget",
    ModelFailure.UNREACHABLE: "its server can't be reached",
    ModelFailure.RATE_LIMITED: "it had too many requests",
    ModelFailure.OVERLOADED: "its server failed",
    ModelFailure.CUT_STREAM: "its answer broke off",
    ModelFailure.MALFORMED_ANSWER: "its answer can't be read",
    ModelFailure.EMPTY_ANSWER: "its answer was empty",
    ModelFailure.TIMEOUT: "it didn't answer in time",
}


def in_short(fault: ModelFault) -> str:
    """Why the model is asked again, in a few words."""
    short = "no model's API is at its address" if fault.no_api else _IN_SHORT.get(fault.failure)
    short = short or "it gave no answer"
    return short if fault.status is None else f"{short} ({fault.status})"


def failed_try(fault: ModelFault, target: ModelTarget) -> FailedTry:
    """What is recorded of a model of a chain that gave no answer. Holds no part of a key."""
    said = words(fault)
    said = said if len(said) <= _LONGEST_IN_CHAIN else said[:_LONGEST_IN_CHAIN] + "…"
    return FailedTry(
        model=target.model,
        server=storable_text(failure_text(target.shown_server)),
        kind=fault.failure,
        message=storable_text(f"{in_short(fault)}: “{said}”" if said else in_short(fault)),
        key=target.key,
        keys=target.keys,
    )


def explain_chain(tried: Sequence[FailedTry], fault: ModelFault, target: ModelTarget) -> str:
    """Of a chain that was asked without an answer: what each said, and what to do. Holds no key."""
    each = "; ".join(f"{named_try(one)}: {one.message}" for one in tried[:_MOST_TOLD])
    more = f"; and {len(tried) - _MOST_TOLD} more" if len(tried) > _MOST_TOLD else ""
    to_do = _what_to_do(fault.failure, target)
    return failure_text(f"No model of the chain answered. {each}{more}. Nothing is lost. {to_do}")


def named_try(one: FailedTry) -> str:
    """The model, and which of its keys."""
    return f"{one.model} (key {one.key} of {one.keys})" if one.keys else one.model


def explain_overflow(fault: ModelFault, target: ModelTarget, needed: int, window: KnownWindow) -> str:
    """Of a chat: what the model takes, what it would have to take, and what to do. Holds no key."""
    return (
        f"{_too_small('chat', target, needed, window, fault)} Foldline cuts long texts and summarises older "
        f"messages where that helps.{_said(fault)} Nothing is lost. Choose a model with a larger window for "
        "a new chat or in the Studio's settings, or start a new chat with less text."
    )


def explain_long_prompt(fault: ModelFault, target: ModelTarget, needed: int, window: KnownWindow) -> str:
    """As `explain_overflow`, of a single question, for the model or the code that asks it."""
    return (
        f"{_too_small('prompt', target, needed, window, fault)}{_said(fault)} Nothing is lost. Ask about a "
        "part of the text at a time, or set `intelligence` to a level whose model has a larger window."
    )


def _too_small(what: str, target: ModelTarget, needed: int, window: KnownWindow, fault: ModelFault) -> str:
    takes = "takes" if window.told else "seems to take at most"
    about = "" if fault.needed is not None else "about "
    return (
        f"The window of {failure_text(target.model)} is too small for this {what}: it {takes} "
        f"{window.tokens:,} tokens, and the request needs {about}{needed:,}."
    )


def _said(fault: ModelFault) -> str:
    return f" It said: “{words(fault)}”" if fault.message else ""


def words(fault: ModelFault) -> str:
    """What the provider said, in short. Holds no key."""
    return _shortened(failure_text(fault.message))


def no_such_provider(target: ModelTarget) -> str:
    """That the model's provider is probably a slip, or was installed too late; empty: neither."""
    name = target.provider
    if not name or target.base_url or target.known_provider is not None or target.model != target.for_litellm:
        return ""
    if name in entry_points(group=POINTS["provider"].group).names:
        return f"The provider {name} was installed after Foldline started: restart Foldline."
    near = nearest(name, model_providers())
    return f"No provider is named {name}; there is {near}." if near else ""


def _who(target: ModelTarget) -> str:
    return f"The model server at {target.shown_url}" if target.base_url else f"The provider of {target.model}"


def _what_happened(failure: ModelFailure, target: ModelTarget) -> str:
    who = _who(target)
    match failure:
        case ModelFailure.AUTHENTICATION:
            return (
                f"{who} refused the key."
                if target.api_key
                else f"{who} needs a key, or refused the one it was given."
            )
        case ModelFailure.UNREACHABLE:
            return f"{who} can't be reached."
        case ModelFailure.RATE_LIMITED:
            return f"{who} takes no more requests for now."
        case ModelFailure.OVERLOADED:
            return f"{who} failed."
        case ModelFailure.CUT_STREAM:
            return f"{who} broke off in the middle of its answer."
        case ModelFailure.MALFORMED_ANSWER:
            return f"{who} sent something that is not a model's answer."
        case ModelFailure.EMPTY_ANSWER:
            return f"The model gave an empty answer ({target.model})."
        case ModelFailure.CONTEXT_LENGTH:
            return f"The conversation has grown too long for {target.model}."
        case ModelFailure.BAD_REQUEST:
            return f"{who} refused the request."
        case ModelFailure.UNKNOWN_MODEL:
            return no_such_provider(target) or f"{who} doesn't know the model {target.model}."
        case ModelFailure.TIMEOUT:
            return f"{who} stopped answering."
        case ModelFailure.DELIVERIES_EXHAUSTED:
            return "The call to the model was begun again and again and never came to an end."
        case ModelFailure.QUOTA_EXCEEDED | ModelFailure.BUDGET:
            return "The model was not asked."
        case ModelFailure.INTERNAL:
            return f"The call to {target.model} failed for a reason that is not known."


def _what_to_do(failure: ModelFailure, target: ModelTarget) -> str:
    match failure:
        case ModelFailure.AUTHENTICATION:
            return f"Set a valid key in the Studio's settings, or {_key_variable(target)}, and try again."
        case ModelFailure.UNREACHABLE:
            address = "its address (*Server* in the Studio's settings, or FOLDLINE_MODEL_BASE_URL)"
            where = f"that this is {address}" if target.base_url else "the network"
            return f"Check that it is running, and {where}."
        case ModelFailure.RATE_LIMITED:
            return f"Wait a while, raise the limit with the provider, or {_another(target)}."
        case ModelFailure.OVERLOADED | ModelFailure.CUT_STREAM | ModelFailure.TIMEOUT:
            return f"Try again later, or {_another(target)}."
        case ModelFailure.MALFORMED_ANSWER:
            return (
                "Check that *Server* in the Studio's settings, or FOLDLINE_MODEL_BASE_URL, is the address of "
                "a model server (it often ends in /v1)."
            )
        case ModelFailure.EMPTY_ANSWER:
            return f"Nothing is lost. Retry, say it in other words, or {_another(target)}."
        case ModelFailure.CONTEXT_LENGTH:
            return "Start a new session, or choose a model with a longer context."
        case ModelFailure.BAD_REQUEST:
            return f"If that doesn't help, {_another(target)}."
        case ModelFailure.UNKNOWN_MODEL:
            return (
                f"Check the name {target.model} in the chat, in the Studio's settings, or in FOLDLINE_MODEL "
                "(provider/model, such as openai/my-model)"
                + (" and FOLDLINE_MODEL_BASE_URL." if target.base_url else ".")
            )
        case ModelFailure.BUDGET:
            return "Raise the cap, then retry."
        case ModelFailure.QUOTA_EXCEEDED:
            return "Wait for the next day (UTC), or raise the agent's quota."
        case ModelFailure.DELIVERIES_EXHAUSTED | ModelFailure.INTERNAL:
            return "The log of the service has more; please report it."


def _another(target: ModelTarget) -> str:
    """A chat may have chosen this one, or settings: neither is what the process was told at its start."""
    return f"choose a model other than {target.model}, in a new chat or in the Studio's settings"


def _key_variable(target: ModelTarget) -> str:
    known = target.known_provider
    if target.base_url or known is None or not known.keys:
        return "FOLDLINE_MODEL_API_KEY"
    return f"FOLDLINE_MODEL_API_KEY (or {known.keys[0]})"


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
