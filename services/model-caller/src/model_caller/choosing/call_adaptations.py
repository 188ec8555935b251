"""What is changed in the requests to one model: what is remembered of it, and what this call found out."""

import msgspec

from agent_contracts.entities.model_adaptations import Adaptation, LearnedAdaptation

_FOR_PROMPTS = frozenset({Adaptation.NO_TOOLS, Adaptation.NO_PICTURES})


class CallAdaptations(msgspec.Struct, frozen=True):
    """`known` are those of the log; `tried` are those of this call, which are remembered once the model
    answers."""

    known: tuple[LearnedAdaptation, ...] = ()
    tried: tuple[LearnedAdaptation, ...] = ()

    def has(self, adaptation: Adaptation) -> bool:
        """Whether requests are changed in this way."""
        return any(one.adaptation is adaptation for one in (*self.known, *self.tried))

    def said(self, adaptation: Adaptation) -> str | None:
        """The server's words from which it was learned; None where requests aren't changed in this way."""
        every = (*self.known, *self.tried)
        return next((one.said for one in every if one.adaptation is adaptation), None)

    @property
    def without(self) -> frozenset[str]:
        """The optional fields that are left out."""
        every = (*self.known, *self.tried)
        return frozenset(
            one.field for one in every if one.field and one.adaptation is Adaptation.WITHOUT_FIELD
        )

    @property
    def answer_limit(self) -> int | None:
        """The longest answer that may be asked for, in tokens."""
        every = (*self.known, *self.tried)
        limits = (int(one.field) for one in every if one.field and one.adaptation is Adaptation.ANSWER_LIMIT)
        return min(limits, default=None)

    @property
    def labels(self) -> tuple[str, ...]:
        """Their names, as they are recorded with an answer."""
        return tuple(one.label for one in (*self.known, *self.tried))

    @property
    def needs_prompt(self) -> bool:
        """Whether the newest changes what a model is shown, so that its request has to be built anew. All
        others change only the form in which a request is sent."""
        return bool(self.tried) and self.tried[-1].adaptation in _FOR_PROMPTS

    def trying(self, one: LearnedAdaptation) -> "CallAdaptations":
        """The same and this."""
        return msgspec.structs.replace(self, tried=(*self.tried, one))


NOTHING = CallAdaptations()
