"""JSON as others write it, hostile or not: what is read, and what each refusal says."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_contracts.errors import Rejected
from agent_contracts.json_reader import FROM_MODELS, JsonLimits, read_json
from agent_contracts.json_value import Json

LIMITS = JsonLimits(size=1_000_000, depth=3)


def nested(levels: int, innermost: bytes = b"") -> bytes:
    return b"[" * levels + innermost + b"]" * levels


def refused(data: bytes | str, limits: JsonLimits = LIMITS) -> tuple[str, str]:
    with pytest.raises(Rejected) as failure:
        read_json(data, limits, "the body")
    return failure.value.kind, failure.value.message


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"null", None),
        (b' {"a": [1, 1.5, true, "x"]} ', {"a": [1, 1.5, True, "x"]}),
        ('"\\ud83d\\ude00 é"', "😀 é"),
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (b"9223372036854775807", 2**63 - 1),
        (b"-9223372036854775807", -(2**63) + 1),
        (b"-0", 0),
        (b"1e308", 1e308),
        (b"1e-999", 0.0),
        (nested(3), [[[]]]),
        (nested(3, b"1"), [[[1]]]),
        (b'{"":""}', {"": ""}),
        (b'"\\u0001"', "\x01"),
    ],
)
def test_what_is_read(data: bytes | str, value: Json) -> None:
    assert read_json(data, LIMITS) == value


@pytest.mark.parametrize(
    ("data", "kind", "told"),
    [
        (b"", "invalid_request", "the body is not JSON: Expecting value at character 0"),
        (b"{", "invalid_request", "the body is not JSON: Expecting property name"),
        (b"{'a': 1}", "invalid_request", "is not JSON"),
        (b"[1,]", "invalid_request", "is not JSON"),
        (b"1 2", "invalid_request", "the body is not JSON: Extra data at character 2"),
        (b"01", "invalid_request", "is not JSON"),
        (b"+1", "invalid_request", "is not JSON"),
        (b"0x10", "invalid_request", "is not JSON"),
        (b"[NaN]", "invalid_request", "the body is not JSON: it has NaN"),
        (b"[-Infinity]", "invalid_request", "the body is not JSON: it has -Infinity"),
        (b'"a\nb"', "invalid_request", "Invalid control character"),
        (b"\xef\xbb\xbf{}", "invalid_request", "is not JSON"),
        (b"1e999", "invalid_request", "the number 1e999, which is too large for a double"),
        (b"[-1e999]", "invalid_request", "the number -1e999, which is too large for a double"),
        (b"9223372036854775808", "invalid_request", "needs more than 64 bits"),
        (b"-9223372036854775808", "invalid_request", "needs more than 64 bits"),
        (b"9" * 5000, "invalid_request", "the whole number " + "9" * 30 + ", which needs more than 64 bits"),
        (nested(4), "invalid_request", "the body is nested more than 3 levels deep"),
        (b'{"a":' * 4 + b"1" + b"}" * 4, "invalid_request", "nested more than 3 levels deep"),
        (b"[" * 100_000, "invalid_request", "nested more than 3 levels deep"),
        (nested(100_000), "invalid_request", "nested more than 3 levels deep"),
        (b'{"a": ["x", "\\u0000"]}', "bad_text", "the body, at /a/1, contains U+0000"),
        (b'{"a": {"\\u0000": 1}}', "bad_text", "the body, in a name at /a, contains U+0000"),
        (b'{"\\ud800": 1}', "bad_text", "the body, in a name, contains a lone surrogate at character 0"),
        (b'"ok \\uD83D"', "bad_text", "the body contains a lone surrogate at character 3"),
        (b'"\\udc00\\ud800"', "bad_text", "lone surrogate"),
        ('["\ud800"]', "bad_text", "the body, at /0, contains a lone surrogate"),
        (b'"\xed\xa0\x80"', "bad_text", "the body is not UTF-8 (byte 1)"),
        (b'"\xff"', "bad_text", "the body is not UTF-8 (byte 1)"),
        ('"x"'.encode("utf-16"), "bad_text", "the body is not UTF-8 (byte 0)"),
        (b"1" * 1_000_001, "too_large", "the body has more than 1,000,000 bytes"),
        ("1" * 1_000_001, "too_large", "the body has more than 1,000,000 characters"),
    ],
)
def test_what_is_refused_and_what_it_says(data: bytes | str, kind: str, told: str) -> None:
    assert refused(data)[0] == kind
    assert told in refused(data)[1]


def test_a_name_that_is_very_long_does_not_make_the_message_long() -> None:
    body = json.dumps({"x" * 10_000: {"y": "\x00"}})
    assert len(refused(body)[1]) < 400


def test_whoever_replaces_text_may_have_all_of_it() -> None:
    limits = JsonLimits(size=100, depth=2, any_text=True)
    assert read_json('["\\u0000", "\\ud800", {"\\udfff": 1}]', limits) == ["\x00", "\ud800", {"\udfff": 1}]


def test_control_characters_are_read_where_models_may_write_them() -> None:
    limits = JsonLimits(size=100, depth=2, control_characters=True)
    assert read_json('{"text": "a\nb\tc"}', limits) == {"text": "a\nb\tc"}


@given(st.binary(max_size=200) | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_whatever_comes_is_read_or_refused(data: bytes) -> None:
    try:
        value = read_json(data, FROM_MODELS)
    except Rejected:
        return
    assert json.loads(json.dumps(value)) == value
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63) + 1, 2**63 - 1)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
        lambda children: (
            st.lists(children)
            | st.dictionaries(
                st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), children
            )
        ),
        max_leaves=10,
    )
)
def test_what_can_be_stored_is_read_as_it_was_written(value: Json) -> None:
    assert read_json(json.dumps(value), FROM_MODELS) == value
    assert read_json(json.dumps(value, ensure_ascii=False).encode(), FROM_MODELS) == value
