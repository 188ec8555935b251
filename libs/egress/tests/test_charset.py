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
        ("①髙".encode("cp932"), "text/plain; charset=Shift_JIS", "①髙"),
        (
            "<meta charset='Shift_JIS'>①髙".encode("cp932"),
            "text/html",
            "<meta charset='Shift_JIS'>①髙",
        ),
        ("東京，镕".encode("gbk"), "text/plain; charset=gb2312", "東京，镕"),
        ("똠방각하".encode("cp949"), "text/plain; charset=euc-kr", "똠방각하"),
        ("똠방".encode("cp949"), "text/plain; charset=ks_c_5601-1987", "똠방"),
        ("“5 €”".encode("cp1252"), "text/plain; charset=latin1", "“5 €”"),
        ("“5 €”".encode("cp1252"), "text/plain; charset=us-ascii", "“5 €”"),
        ("Şişli “€”".encode("cp1254"), "text/plain; charset=iso-8859-9", "Şişli “€”"),
        ("香港嘅".encode("big5hkscs"), "text/plain; charset=Big5", "香港嘅"),
        ("①".encode("euc_jis_2004"), "text/plain; charset=euc-jp", "①"),
        (
            b"<?xml version='1.0' encoding='gb2312'?><a>\xe9F</a>",
            "text/xml",
            "<?xml version='1.0' encoding='gb2312'?><a>镕</a>",
        ),
        ("<meta charset=utf-16>é".encode(), "text/html", "<meta charset=utf-16>é"),
        (b"+ADw-b+AD4-", "text/plain; charset=utf-7", "+ADw-b+AD4-"),
        ("한국".encode("iso2022_kr"), "text/plain; charset=iso-2022-kr", "한국"),
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
