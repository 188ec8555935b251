"""A value is found in whatever spelling programs put it, and nothing else is."""

import base64
import html
import json
from urllib.parse import quote, quote_plus, urlencode

import pytest

from egress.redaction import CUT, Redaction

VALUE = "p@ss\"w/o'r~d\\+é&<1>"
MENTION = "{{secret:TOKEN}}"
REDACTION = Redaction({"TOKEN": VALUE, "PLAIN": "0123456789abcdef"})


def in_base64(before: str, value: str, after: str) -> str:
    return base64.b64encode(f"{before}{value}{after}".encode()).decode()


@pytest.mark.parametrize(
    "spelled",
    [
        VALUE,
        quote(VALUE),
        quote(VALUE, safe=""),
        quote(VALUE, safe="").lower(),
        quote_plus(VALUE),
        urlencode({"": VALUE})[1:],
        quote(VALUE, safe="!'()*"),
        quote(VALUE, safe="!'()*;/?:@&=+$,#"),
        quote_plus(VALUE, safe="*").replace("~", "%7E"),
        json.dumps(VALUE)[1:-1],
        json.dumps(VALUE, ensure_ascii=False)[1:-1],
        json.dumps(VALUE)[1:-1].replace("/", "\\/"),
        json.dumps(VALUE)[1:-1].replace("\\u00e9", "\\u00E9"),
        json.dumps(json.dumps(VALUE))[3:-3],
        json.dumps(VALUE, ensure_ascii=False)[1:-1].replace("&", "\\u0026").replace("<", "\\u003c")
        .replace(">", "\\u003e").replace("'", "\\u0027"),
        html.escape(VALUE),
        html.escape(VALUE, quote=False),
        html.escape(VALUE).replace("&#x27;", "&#39;"),
        VALUE.encode().hex(),
        VALUE.encode().hex().upper(),
        in_base64("", VALUE, ""),
        in_base64("", VALUE, "").rstrip("="),
        in_base64("", VALUE, "").replace("+", "-").replace("/", "_"),
    ],
)  # fmt: skip
def test_every_common_spelling_is_replaced(spelled: str) -> None:
    assert REDACTION.text(f"[{spelled}]") == f"[{MENTION}]"
    assert REDACTION.finds("nothing", f"[{spelled}]")
    for encoding in ("utf-8", "utf-16-le", "utf-16-be", "latin-1"):
        body = f"[{spelled}]".encode(encoding)
        assert REDACTION.body(body) == f"[{MENTION}]".encode(encoding)


@pytest.mark.parametrize("alphabet", ["+/", "-_"])
@pytest.mark.parametrize("before", ["", "u:", "us:", "user:"])
@pytest.mark.parametrize("after", ["", ":", "::", " and more"])
def test_base64_holds_it_wherever_it_begins(before: str, after: str, alphabet: str) -> None:
    coded = in_base64(before, VALUE, after).translate(str.maketrans("+/", alphabet))
    clean = REDACTION.text(coded)
    assert MENTION in clean
    left = clean.replace(MENTION, "")
    assert len(left) <= len(in_base64(before, "", after)) + 4


def test_json_is_cleaned_in_values_names_and_numbers() -> None:
    redaction = Redaction({"PIN": "1234567890"})
    given = {"1234567890": [1234567890, 12345678901.5, 5, True, None, "x1234567890y"], "a": {"b": "c"}}
    mention = "{{secret:PIN}}"
    assert redaction.json(given) == {
        mention: [mention, f"{mention}1.5", 5, True, None, f"x{mention}y"],
        "a": {"b": "c"},
    }
    assert Redaction({}).json(given) is given


def test_what_a_cut_left_of_a_value_goes_too() -> None:
    half = VALUE[:9]
    assert REDACTION.excerpt(f"a {half}{CUT}\nb {VALUE}") == f"a {CUT}\nb {MENTION}"
    assert REDACTION.excerpt(f"a {VALUE[:4]}{CUT}") == f"a {CUT}"
    assert REDACTION.excerpt(f"a {VALUE[:3]}{CUT}") == f"a {VALUE[:3]}{CUT}"
    assert REDACTION.excerpt(f"nothing{CUT}") == f"nothing{CUT}"
    assert REDACTION.body(f"a {half}".encode(), truncated=True) == b"a "
    assert REDACTION.body(b"a 01234567890123", truncated=True) == b"a 0123456789"
    assert Redaction({}).excerpt(half + CUT) == half + CUT


@pytest.mark.parametrize("size", [1, 2, 7, 64, 1000])
def test_in_a_stream_values_go_however_it_is_cut(size: int) -> None:
    redaction = Redaction({"SHORT": "abcdefgh", "LONG": "abcdefghijkl", "OTHER": VALUE})
    plain = f"x abcdefghijkl {VALUE}{VALUE} abcdefgh {quote(VALUE, safe='')} abcdefghij{VALUE}".encode()
    for body in (plain, f"{VALUE} abcdefghijkl".encode("utf-16-le"), b"", b"abc"):
        stream = redaction.stream()
        pieces = [stream.feed(body[at : at + size]) for at in range(0, len(body), size)]
        assert b"".join([*pieces, stream.end(truncated=False)]) == redaction.body(body)
    stream = redaction.stream()
    assert stream.feed(b"a abcdefg") + stream.end(truncated=True) == b"a "
    nothing = Redaction({}).stream()
    assert (nothing.feed(b"abcdefgh"), nothing.end(truncated=True)) == (b"abcdefgh", b"")


def test_the_longest_spelling_wins_and_ordinary_text_stays() -> None:
    redaction = Redaction({"SHORT": "abcdefgh", "LONG": "abcdefghijkl"})
    assert redaction.text("abcdefghijkl abcdefgh") == "{{secret:LONG}} {{secret:SHORT}}"
    ordinary = "An ordinary text with 0123456789abcde in it, and é."
    assert REDACTION.text(ordinary) == ordinary
    assert not REDACTION.finds(ordinary, ordinary.encode())


def test_a_header_is_bytes() -> None:
    assert REDACTION.header(VALUE.encode().decode("latin-1")) == MENTION
    assert REDACTION.header(VALUE) == MENTION
