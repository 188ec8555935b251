"""Within which an answer is given."""

from agent_contracts.session_events.results import Usage
from model_caller.answers.answer import Assembly
from model_caller.calls.call_spending import CallSpending
from model_caller.calls.cancelling import StopSignal

MOST_CHARACTERS_PER_TOKEN = 16
"""More than any answer has on average (text and code: 1 to 6). An answer is broken off at the token limit
where even so it can't fit: most providers tell their figures at the end alone, and a closer guess would break
off answers that fit by them."""


class Bounds:
    """Within which an answer is given: until it is told to stop, and `tokens_left` with its request, and what
    is held back for it of its `spending`.

    `takes_half`: what a server broke off is worth having. `takes_nothing`: so is an answer that says nothing.
    `answer_limit`: the tokens that it may have, which its server was told.
    """

    def __init__(  # noqa: PLR0913 — each bound is another one
        self,
        stop: StopSignal | None = None,
        tokens_left: int | None = None,
        spending: CallSpending | None = None,
        *,
        takes_half: bool = False,
        takes_nothing: bool = False,
        answer_limit: int | None = None,
    ) -> None:
        self.stop = stop or StopSignal()
        self.spending = spending
        self.takes_half = takes_half
        self.takes_nothing = takes_nothing
        self.answer_limit = answer_limit
        self._tokens_left = tokens_left

    @property
    def tokens_left(self) -> int | None:
        """The fewer of both."""
        paid = self.spending.tokens_left if self.spending is not None else None
        both = [tokens for tokens in (self._tokens_left, paid) if tokens is not None]
        return min(both, default=None)

    def passed(self, request_characters: int, said: Assembly) -> bool:
        """Whether the answer so far takes more tokens than there are, whatever it comes to.

        By the provider's figures, where it tells them as it goes; else the least that it can be.
        """
        left = self.tokens_left
        if left is None:
            return False
        known = said.reported or Usage(request_characters // MOST_CHARACTERS_PER_TOKEN, 0)
        return (known + Usage(0, said.unreported // MOST_CHARACTERS_PER_TOKEN)).tokens > left
