"""What a document points to is left alone, also where nothing but the library itself holds it back."""

import json
import urllib.request

import pytest

from foldline_testing.tool_runner.office_samples import docx_of
from tool_runner.documents.office.docx import read_docx
from tool_runner.documents.pages.page import read_page

PAGE = b"""<html><head><base href="http://127.0.0.1:9/"><link rel="stylesheet" href="http://127.0.0.1:9/a.css">
<meta http-equiv="refresh" content="0; url=http://127.0.0.1:9/"></head><body><article>
<p>Tea is made of leaves.</p><img src="http://127.0.0.1:9/a.png"><iframe src="http://127.0.0.1:9/"></iframe>
</article></body></html>"""


def test_a_page_brings_in_nothing_else() -> None:
    options = {"format": "markdown", "content_type": "text/html", "url": "http://a.test/"}
    assert "Tea is made of leaves." in json.dumps(read_page((PAGE,), options).value)


def test_a_documents_pictures_elsewhere_are_not_fetched() -> None:
    assert "[picture: A plan]" in json.dumps(read_docx((docx_of(),), {}).value)


def test_these_tests_would_see_it() -> None:
    with pytest.raises(AssertionError, match=r"127\.0\.0\.1"):
        urllib.request.urlopen("http://127.0.0.1:9/")
