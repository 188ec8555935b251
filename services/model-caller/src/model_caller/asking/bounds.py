"""Within which an answer is given."""

from model_caller.answers.answer import Assembly
from model_caller.asking.cancelling import Stop

MOST_CHARACTERS_PER_TOKEN = 16
"""More than any answer has on average (text and code: 1 to 6). An answer is broken off at the token limit
where even so it can't fit: most providers tell their figures at the end alone, and a closer guess would break
off answers that fit by them."""


class Bounds:
    """Within which an answer is given: until it is told to stop, and `tokens_left` with its request."""

    def __init__(self, stop: Stop | None = None, tokens_left: int | None = None) -> None:
        self.stop = stop or Stop()
        self.tokens_left = tokens_left

    def passed(self, request_characters: int, said: Assembly) -> bool:
        """Whether the answer so far takes more tokens than there are, whatever it comes to.

        By the provider's figures, where it tells them as it goes; else the least that it can be.
        """
        if self.tokens_left is None:
            return False
        reported, characters = said.reported, said.unreported
        if reported is None:
            return request_characters + characters > self.tokens_left * MOST_CHARACTERS_PER_TOKEN
        known = reported.input + reported.output
        return known + characters // MOST_CHARACTERS_PER_TOKEN > self.tokens_left
