"""What whoever makes wake credentials is told."""

import pytest

from gateway.operations.wakes.credentials import without_user


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("nats://gateway:secret@127.0.0.1:4222", "nats://127.0.0.1:4222"),
        ("tls://nats.example:4443", "tls://nats.example:4443"),
        ("nats://a:p%40ss@[::1]:4222", "nats://[::1]:4222"),
        ("", ""),
    ],
)
def test_the_servers_address_is_told_without_its_password(url: str, shown: str) -> None:
    assert without_user(url) == shown
