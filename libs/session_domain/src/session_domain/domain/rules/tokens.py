"""How many tokens a text takes, where no provider says so: by its scripts. Pure.

The figures are those of tokenizers in use (cl100k, o200k, Llama 3, Qwen), rounded up: too many make a session
shorten its past a little early, too few have its request refused.
"""

_PER_ASCII = 0.25
_WEIGHTS = (
    (range(0xC2, 0xCE), 0.6),  # accents, and letters that English lacks: a word breaks at each
    (range(0xCE, 0xE0), 0.6),  # Greek, Cyrillic, Armenian, Hebrew, Arabic
    (range(0xE0, 0xE2), 1.2),  # Indic scripts, Thai, Georgian, Ethiopic
    (range(0xE2, 0xE3), 1.0),  # dashes, quotes, arrows, signs
    (range(0xE3, 0xF0), 1.2),  # kana, Han, Hangul, full width
    (range(0xF0, 0xF5), 2.5),  # emoji, rare Han
)
"""Tokens of a character whose UTF-8 begins with such a byte."""
_ALL = bytes(range(256))
_COUNTED = [(_ALL.translate(None, bytes(leads)), weight) for leads, weight in _WEIGHTS]
"""For each script, all bytes but those that begin its characters."""
_NOT_ASCII = bytes(range(0x80, 0x100))


def tokens_in(text: str | bytes) -> int:
    """Roughly the tokens of a text, or of its UTF-8."""
    data = text.encode(errors="replace") if isinstance(text, str) else text
    if data.isascii():
        return -(-len(data) // 4)
    ascii_only = len(data.translate(None, _NOT_ASCII)) * _PER_ASCII
    others = sum(len(data.translate(None, rest)) * weight for rest, weight in _COUNTED)
    return int(ascii_only + others) + 1
