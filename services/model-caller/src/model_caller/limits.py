"""How long a model may take and how often it is asked."""

import msgspec


class Limits(msgspec.Struct, frozen=True):
    """Times in seconds.

    `connect`: until the connection stands; `first_token`: until the first sign of an answer (a local model
    reads a long prompt for a while); `silence`: between two signs. A failed attempt is repeated up to
    `retries` times, but not once `give_up_after` has passed. Between attempts: `first_delay`, doubled each
    time, at most `longest_delay`, with up to half of it added by chance; a server's own `Retry-After` counts
    instead, but whoever asks for more than `longest_wait` isn't waited for.
    """

    connect: float = 10.0
    first_token: float = 120.0
    silence: float = 60.0
    retries: int = 5
    first_delay: float = 0.5
    longest_delay: float = 20.0
    longest_wait: float = 120.0
    give_up_after: float = 300.0
