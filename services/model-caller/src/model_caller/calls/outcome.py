"""How it ended that a model was asked."""

from collections.abc import Callable

import msgspec

from agent_contracts.session_events.results import CutReason
from model_caller.answers.answer import ProviderAnswer
from model_caller.answers.failures import ModelFault
from model_caller.choosing.call_adaptations import NOTHING, CallAdaptations

Elsewhere = Callable[[ModelFault], bool]
"""Whether another model or key is asked after this failure."""


def nowhere(_: ModelFault) -> bool:
    """There is only this one."""
    return False


class ModelOutcome(msgspec.Struct, frozen=True):
    """How it ended: an answer, whole or `cut`, or the last attempt's fault. `took_ms` is of all attempts;
    `max_tokens` how long the answer could be: by its limit, or where caps on spending left room for less.
    `adapted` is how the last request was changed; `wanted`: how the model may be asked once more, with
    another prompt. `said`: of an answer that failed, what people saw of it."""

    answer: ProviderAnswer | None
    fault: ModelFault | None
    attempts: int
    took_ms: int
    max_tokens: int | None = None
    adapted: CallAdaptations = NOTHING
    wanted: CallAdaptations | None = None
    said: ProviderAnswer | None = None

    def after(self, earlier: "ModelOutcome") -> "ModelOutcome":
        """The same, with the attempts of an earlier request of the call counted in."""
        return msgspec.structs.replace(
            self, attempts=self.attempts + earlier.attempts, took_ms=self.took_ms + earlier.took_ms
        )

    @property
    def cut(self) -> CutReason | None:
        """Why the answer isn't whole, if it was broken off."""
        return None if self.answer is None else self.answer.ending.cut

    def cut_since(self, reason: CutReason) -> "ModelOutcome":
        """The same answer, broken off for this reason."""
        assert self.answer is not None
        ending = msgspec.structs.replace(self.answer.ending, cut=reason)
        return msgspec.structs.replace(self, answer=msgspec.structs.replace(self.answer, ending=ending))
