"""What the libraries load when they are first used, used once."""

import email
import io
import zipfile

import mammoth

from tool_runner.documents.jobs import load_codecs, load_modules
from tool_runner.documents.office.docx import read_docx
from tool_runner.documents.office.mail import read_mail
from tool_runner.documents.office.rtf import read_rtf

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_BODY = f"<w:document xmlns:w='{_WORD}'><w:body><w:p/></w:body></w:document>"
_MAIL = (
    b"From: a@b.example\r\nSubject: =?utf-8?q?a?=\r\nDate: Mon, 2 Nov 2026 10:00:00 +0000\r\n"
    b"Content-Type: text/plain; charset=utf-8\r\n\r\n<p>a</p>"
)
_RTF = rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}}{\footnote b}\f0 a\par}"


def warm_up() -> None:
    """See `jobs`."""
    load_codecs()
    load_modules(mammoth)
    load_modules(email)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("word/document.xml", _BODY)
    read_docx((made.getvalue(),), {})
    for message in (_MAIL, _MAIL.replace(b"plain", b"html")):
        read_mail((message,), {})
    read_rtf((_RTF,), {})
