"""Costs as people read them."""

_CENT = 10_000


def money(micros: int | None, *, complete: bool = True) -> str:
    """Millionths of a US dollar: "$1.24", "$0.0031". Not `complete`: some of it has no known price."""
    if micros is None:
        return "no price known"
    said = f"${micros / 1_000_000:,.2f}" if micros >= _CENT or micros == 0 else f"${micros / 1_000_000:.4f}"
    return said if complete else f"at least {said}"
