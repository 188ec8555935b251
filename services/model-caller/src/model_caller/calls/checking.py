"""Whether what a model's server sent is an answer."""

from agent_contracts.session_events.results import ModelFailure, Usage
from model_caller.answers.answer import ENDED_BY_CALLS, AnswerEnding, ProviderAnswer
from model_caller.answers.failures import ModelFault
from model_caller.calls.bounds import Bounds

_EMPTY = ("stop", "length")
"""How an answer ended that should have said something; a content filter leaves nothing of some."""


def checked(answer: ProviderAnswer, bounds: Bounds) -> ProviderAnswer:
    """The answer. `ModelFault` where it is none: empty, without its calls, or a half that doesn't count."""
    ending, said = answer.ending, bool(answer.text.strip() or answer.calls)
    if ending.finish_reason in ENDED_BY_CALLS and not answer.calls:
        raise ModelFault(ModelFailure.MALFORMED_ANSWER, "it announced a tool call and sent none")
    if ending.cut == "failed" and not bounds.takes_half:
        raise _told(ModelFault(ModelFailure.CUT_STREAM, ending.cut_words), ending)
    if ending.finish_reason in _EMPTY and not said and not bounds.takes_nothing:
        long = "it reached its greatest length before it said anything"
        words = long if ending.finish_reason == "length" else ""
        raise _told(ModelFault(ModelFailure.EMPTY_ANSWER, words), ending)
    return answer


def _told(fault: ModelFault, ending: AnswerEnding) -> ModelFault:
    fault.usage = ending.usage
    return fault


def repeated(usage: Usage, bounds: Bounds) -> AnswerEnding:
    """The end of an answer that repeats itself. Where half an answer isn't one, it counts as a long one."""
    return AnswerEnding(None, usage, cut="repetition") if bounds.takes_half else AnswerEnding("length", usage)
