"""A WebSocket's tunnel is told from others by what a client says first."""

import random
import ssl

import pytest

from egress.proxy.client_hello import is_whole, speaks_http2


def hello(*protocols: str) -> bytes:
    """What a client says first that offers these."""
    context = ssl.create_default_context()
    if protocols:
        context.set_alpn_protocols(protocols)
    said = ssl.MemoryBIO()
    client = context.wrap_bio(ssl.MemoryBIO(), said, server_hostname="a.test")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return said.read()


@pytest.mark.parametrize(
    ("said", "http2"),
    [
        (hello("h2", "http/1.1"), True),
        (hello("http/1.1", "h2"), True),
        (hello("http/1.1"), False),
        (hello("h2c", "xh2"), False),
        (hello(), False),
        (b"GET /chat HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", False),
        (b"\x16\x03\x01\x00\x02h2", False),
    ],
    ids=["h2 first", "h2 second", "1.1 alone", "names like it", "nothing", "no TLS", "no hello"],
)
def test_who_offers_http2_wants_no_web_socket(said: bytes, http2: bool) -> None:
    assert is_whole(said)
    assert speaks_http2(said) is http2
    assert speaks_http2(said + b"more") is http2


def test_it_is_waited_for_as_long_as_a_record_and_no_longer() -> None:
    said = hello("h2")
    assert not any(is_whole(said[:length]) for length in range(len(said)))
    assert is_whole(b"\x16\x03\x01\xff\xff" + b"x" * (1 << 14)), "a record has an end, whatever it says"


def test_what_is_broken_ends_and_offers_nothing_that_it_does_not_say() -> None:
    chance = random.Random(14)
    said = hello("http/1.1")
    for _ in range(2_000):
        broken = bytearray(said)
        for _ in range(chance.randint(1, 9)):
            broken[chance.randrange(5, len(broken))] = chance.randrange(256)
        assert speaks_http2(bytes(broken[: chance.randint(1, len(broken))])) in (True, False)
