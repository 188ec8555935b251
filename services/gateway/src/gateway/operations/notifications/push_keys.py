"""The key by which push services know this installation (RFC 8292), raw and in base64url."""

import base64


def new_private_key() -> str:
    """A fresh one."""
    # Heavy: only who has a browser to push to pays for it.
    from cryptography.hazmat.primitives.asymmetric import ec

    number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return _text(number.to_bytes(32, "big"))


def public_key_of(private: str) -> str:
    """What browsers are told of it (`applicationServerKey`)."""
    # Heavy: only who has a browser to push to pays for it.
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    number = int.from_bytes(base64.urlsafe_b64decode(private + "=="), "big")
    public = ec.derive_private_key(number, ec.SECP256R1()).public_key()
    point = public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    return _text(point)


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")
