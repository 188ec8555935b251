"""How an answer ended: by what its server said last, or since it said no more."""

import msgspec

from agent_contracts.session_events.results import CutReason, ModelFailure
from model_caller.answers.answer import Assembly, is_whole
from model_caller.answers.failures import SPOKEN, ModelFault, words
from model_caller.providers.http_faults import fault_in_stream, no_proper_end
from model_caller.providers.said_errors import SaidError


class AnswerEnd(msgspec.Struct, frozen=True):
    """The end of an answer, of whose fields `AnswerEnding` has the meanings."""

    finish_reason: str | None
    cut: CutReason | None = None
    cut_words: str = ""


def answer_end(
    finish_reason: str | None,
    said: Assembly,
    *,
    is_done: bool,
    anything: bool,
    error: SaidError | None = None,
) -> AnswerEnd:
    """The end of an answer for which the server gave this reason, if any. `is_done`: it said that this is
    all. `error` is what it said went wrong.

    `ModelFault` where the answer was cut off. What a server broke off itself is kept if it holds any text.
    """
    if error is not None:
        return half_kept(fault_in_stream(error), said)
    if finish_reason is not None and not is_whole(finish_reason):
        fault = ModelFault(ModelFailure.CUT_STREAM, f"the server ended the answer with “{finish_reason}”")
        return half_kept(fault, said)
    if finish_reason is None and not is_done:
        raise no_proper_end(anything=anything)
    return AnswerEnd(finish_reason or ("tool_calls" if said.calls() else "stop"))


def half_kept(fault: ModelFault, said: Assembly) -> AnswerEnd:
    """The end of an answer that its server broke off with this fault. Without any text, the fault is raised:
    then it is simply asked again, where that may help."""
    if not said.text.strip():
        raise fault
    return AnswerEnd(None, "failed", words(fault))


def keeps_half(fault: ModelFault) -> bool:
    """Whether what was said before an error is kept: asking again would end in the same error."""
    return not fault.transient and fault.failure in SPOKEN
