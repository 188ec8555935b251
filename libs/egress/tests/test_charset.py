"""Bytes from the web are read as the text they were meant to be."""

import pytest

from egress.charset import decoded, is_text


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("é".encode(), "", "é"),
        ("é".encode("latin-1"), "text/plain; charset=ISO-8859-1", "é"),
        ("é".encode("latin-1"), "text/plain", "é"),
        ("é".encode("utf-16"), "text/plain; charset=latin-1", "é"),
        (b"\xef\xbb\xbf\xc3\xa9", "", "é"),
        (b"<meta charset='windows-1251'>\xe9", "text/html", "<meta charset='windows-1251'>й"),
        ("é".encode(), "text/plain; charset=nonsense", "é"),
        (b"aGk=", "text/plain; charset=base64", "aGk="),
        ("naïve façade".encode(), "text/plain; charset=ISO-8859-1", "naïve façade"),
        ("naïve façade".encode("latin-1"), "text/plain; charset=utf-8", "naïve façade"),
        (
            "<meta charset=shift_jis>お茶".encode("shift_jis"),
            "text/html; charset=utf-8",
            "<meta charset=shift_jis>お茶",
        ),
        (
            "品名,値段\nお茶,100\nコーヒー,250".encode("cp932"),
            "text/csv",
            "品名,値段\nお茶,100\nコーヒー,250",
        ),
        (
            "Überall Größe und Güte ".encode() + b"\xff",
            "text/plain; charset=utf-8",
            "Überall Größe und Güte \ufffd",
        ),
        ("お茶を飲みましょう".encode("euc_jp"), "", "お茶を飲みましょう"),
        ("Привет, как дела?".encode("cp1251"), "", "Привет, как дела?"),
        ("Привет, как дела?".encode("koi8_r"), "", "Привет, как дела?"),
        ("5 € – “really” – Größe".encode("cp1252"), "text/plain", "5 € – “really” – Größe"),
        ("Zażółć".encode("utf-16-be"), "text/plain; charset=utf-16be", "Zażółć"),
    ],
)
def test_the_charset_is_found(body: bytes, content_type: str, text: str) -> None:
    assert decoded(body, content_type) == text


def test_a_character_that_the_limit_cut_through_spoils_nothing_else() -> None:
    assert decoded(b"ok \xc3\xa9 cut \xc3", "", truncated=True) == "ok é cut \ufffd"


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (b"a", "text/csv", True),
        (b"{}", "application/problem+json; charset=utf-8", True),
        (b"\0", "image/png", False),
        (b"a", "image/svg+xml", True),
        (b"a", "message/rfc822", True),
        (b"a", "", True),
        (b"\0", "", False),
        (b"%PDF", "application/pdf", False),
    ],
)
def test_text_is_told_from_files(body: bytes, content_type: str, expected: bool) -> None:
    assert is_text(body, content_type) is expected
