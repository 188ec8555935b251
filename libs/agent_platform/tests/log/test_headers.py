"""Our reading of headers is nats-py's, only faster."""

import pytest
from nats.aio.client import Client

from agent_platform.nats_client import FastHeadersClient


@pytest.mark.parametrize(
    "raw",
    [
        b"ce-id: e1\r\nce-type: t.v1\r\n\r\n",
        b"a:b\r\nc:\td \r\n  e : f\r\n",
        "name: ключ ∀\r\n".encode(),
        b"name: a: b: c\r\nempty:\r\n",
        b"bad name: x\r\nno colon\r\n\xff: x\r\nn: \xff\xfe\r\n: nameless\r\n\r\n",
        b"twice: 1\r\ntwice: 2\r\n",
        b"",
        "nbsp: \u00a0x\u00a0\r\n\u00a0name: y\r\n".encode(),
    ],
)
def test_headers_are_read_as_nats_py_reads_them(raw: bytes) -> None:
    expected = {name: value for name, value in Client._parse_header_lines(raw).items() if name}
    assert FastHeadersClient._parse_header_lines(raw) == expected
    assert FastHeadersClient._parse_header_lines(raw) == expected  # from memory
