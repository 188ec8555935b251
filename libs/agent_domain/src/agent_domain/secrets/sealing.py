"""AES-256-GCM. What goes through here is a secret, which its process keeps out of all texts from then on.

Imported with the first secret: cryptography takes 6 MB."""

import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from agent_platform.secrecy.known_secrets import KNOWN

_NONCE = 12


def seal(key: bytes, text: str, about: bytes) -> bytes:
    """The text, encrypted, and bound to what it is about."""
    KNOWN.learn(text)
    nonce = os.urandom(_NONCE)
    return nonce + AESGCM(key).encrypt(nonce, text.encode(), about)


def unseal(key: bytes, sealed: bytes, about: bytes) -> str | None:
    """The text; None if it was sealed with another key, or about something else."""
    try:
        text = AESGCM(key).decrypt(sealed[:_NONCE], sealed[_NONCE:], about).decode()
    except InvalidTag:
        return None
    KNOWN.learn(text)
    return text
