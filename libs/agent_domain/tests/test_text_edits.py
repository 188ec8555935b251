"""Edits by operation: literal, and nothing changes where something isn't as it should be."""

import pytest

from agent_contracts.api.state import Operation
from agent_contracts.errors import Rejected
from agent_domain.text_edits import LARGEST_TEXT, TextEdit, edited

REPLACE, FIND_REPLACE = Operation.REPLACE, Operation.FIND_REPLACE
APPEND, PREPEND, DELETE = Operation.APPEND, Operation.PREPEND, Operation.DELETE


def change(find: str, replace: str, *, every: bool = False) -> TextEdit:
    return TextEdit(FIND_REPLACE, find=find, replace=replace, replace_all=every)


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        ("old", TextEdit(REPLACE, "new"), "new"),
        ("old", TextEdit(REPLACE, ""), ""),
        ("same", TextEdit(REPLACE, "same"), "same"),
        ("a", TextEdit(APPEND, "b"), "ab"),
        ("a\n", TextEdit(APPEND, "b\n"), "a\nb\n"),
        ("a", TextEdit(APPEND, ""), "a"),
        ("", TextEdit(APPEND, "b"), "b"),
        ("a", TextEdit(PREPEND, "b"), "ba"),
        ("", TextEdit(PREPEND, "b\r\n"), "b\r\n"),
        ("one two one", TextEdit(DELETE, "one"), " two one"),
        ("aaa", TextEdit(DELETE, "aa"), "a"),
        ("one two one", change("one", "1"), "1 two one"),
        ("one two one", change("one", "1", every=True), "1 two 1"),
        ("one two one", change("one ", ""), "two one"),
        ("aaaa", change("aa", "a", every=True), "aa"),
        ("aa", change("a", "aa", every=True), "aaaa"),
        ("same", change("same", "same"), "same"),
    ],
)
def test_each_operation_does_what_it_says(before: str, edit: TextEdit, after: str) -> None:
    assert edited(before, edit) == after


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        ("a.b axb", change("a.b", "c"), "c axb"),
        ("axb", change("x", r"\1 $1 \g<0> {0} %s"), r"a\1 $1 \g<0> {0} %sb"),
        ("[a]* (b)? ^c$", change("[a]* (b)? ^c$", "d"), "d"),
        (r"a\nb", change(r"\n", "x"), "axb"),
        ("a\nb", TextEdit(DELETE, "\n"), "ab"),
        ("1\\2", TextEdit(DELETE, "\\"), "12"),
    ],
)
def test_no_character_has_a_meaning_of_its_own(before: str, edit: TextEdit, after: str) -> None:
    assert edited(before, edit) == after


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        ("å æ ø", change("æ", "ä"), "å ä ø"),
        ("👩‍👩‍👧 and 👩", change("👩‍👩‍👧", "🏴‍☠️"), "🏴‍☠️ and 👩"),
        ("日本語日本語", TextEdit(DELETE, "本"), "日語日本語"),
        ("a\u2028b\u00a0c", TextEdit(APPEND, "\u200b"), "a\u2028b\u00a0c\u200b"),
        ("a\r\nb\r\nc", change("\r\n", "\n"), "a\nb\r\nc"),
        ("a\r\nb\r\nc", change("\r\n", "\n", every=True), "a\nb\nc"),
        ("a\r\nb", TextEdit(APPEND, "\r\nc"), "a\r\nb\r\nc"),
        ("a\r\nb", TextEdit(DELETE, "\n"), "a\rb"),
        ("a\rb\r\nc", change("\r", "\n"), "a\nb\r\nc"),
        ("a\rb\r\nc", change("\r", "\n", every=True), "a\nb\n\nc"),
        ("a\u2028b\u2029c\u0085", change("\u2028", "\n"), "a\nb\u2029c\u0085"),
        ("a\x00b\x1b\x7f", TextEdit(DELETE, "\x00"), "ab\x1b\x7f"),
        ("e\u0301e\u0301", change("e", "a"), "a\u0301e\u0301"),
        ("e\u0301", TextEdit(DELETE, "\u0301"), "e"),
        ("\u00e9e\u0301", change("e\u0301", "-", every=True), "\u00e9-"),
        ("\u212b\u00c5A\u030a", change("\u00c5", "-", every=True), "\u212b-A\u030a"),
        ("\ufb01 fi", change("fi", "-", every=True), "\ufb01 -"),
        ("👩\u200d👩\u200d👧", TextEdit(DELETE, "👩"), "\u200d👩\u200d👧"),
        ("👍🏽👍", change("👍", "-", every=True), "-🏽-"),
        ("𝒳𝒴𝒳", change("𝒳", "x", every=True), "x𝒴x"),
        ("שלום עולם", change("עולם", "world"), "שלום world"),
        ("\u202eabc\u202c", TextEdit(DELETE, "\u202e"), "abc\u202c"),
        ("\ufeffa", TextEdit(PREPEND, "\ufeff"), "\ufeff\ufeffa"),
        ("a\u00a0b c", change(" ", "_", every=True), "a\u00a0b_c"),
    ],
)
def test_scripts_emoji_and_line_ends_are_taken_as_they_are(before: str, edit: TextEdit, after: str) -> None:
    assert edited(before, edit) == after


@pytest.mark.parametrize(
    ("before", "edit", "path"),
    [
        ("abc", change("d", "e"), "/find"),
        ("abc", change("d", "e", every=True), "/find"),
        ("abc", change("B", "e"), "/find"),
        ("a b", change("a  b", "e"), "/find"),
        ("a\r\nb", change("a\nb", "e"), "/find"),
        ("caf\u00e9", change("cafe\u0301", "e"), "/find"),
        ("cafe\u0301", change("caf\u00e9", "e"), "/find"),
        ("\u1112\u1161\u11ab", change("\ud55c", "e"), "/find"),
        ("🙂", change("\ud83d", "e"), "/find"),
        ("a\rb", change("\r\n", "e"), "/find"),
        ("a\nb", change("\u2028", "e"), "/find"),
        ("a b", change("a\u00a0b", "e"), "/find"),
        ("ab", change("a\u200bb", "e"), "/find"),
        ("Ａ", change("A", "e"), "/find"),
        ("İstanbul", change("i", "e"), "/find"),
        ("Straße STRASSE", change("ss", "e"), "/find"),
        ("", change("a", "e"), "/find"),
        ("abc", TextEdit(DELETE, "d"), "/content"),
    ],
)
def test_what_is_not_there_is_refused(before: str, edit: TextEdit, path: str) -> None:
    with pytest.raises(Rejected) as refused:
        edited(before, edit)
    assert (refused.value.kind, refused.value.path) == ("rejected", path)


@pytest.mark.parametrize(
    ("edit", "path"),
    [
        (change("", "x"), "/find"),
        (change("", "x", every=True), "/find"),
        (TextEdit(DELETE, ""), "/content"),
        (TextEdit(FIND_REPLACE, find="a"), "/replace"),
        (TextEdit(FIND_REPLACE, replace="a"), "/find"),
        (TextEdit(FIND_REPLACE, content="a"), "/find"),
        *((TextEdit(operation), "/content") for operation in (REPLACE, APPEND, PREPEND, DELETE)),
        (TextEdit(APPEND, find="a", replace="b"), "/content"),
    ],
)
def test_an_edit_that_lacks_something_says_what(edit: TextEdit, path: str) -> None:
    with pytest.raises(Rejected) as refused:
        edited("a", edit)
    assert (refused.value.kind, refused.value.path) == ("invalid_arguments", path)


@pytest.mark.parametrize(
    "edit",
    [
        TextEdit(APPEND, "x"),
        TextEdit(PREPEND, "x"),
        TextEdit(REPLACE, "x" * (LARGEST_TEXT + 1)),
        TextEdit(REPLACE, "é" * (LARGEST_TEXT // 2 + 1)),
        change("a", "xx"),
        change("a", "x" * LARGEST_TEXT, every=True),
    ],
)
def test_no_edit_makes_a_text_of_more_than_one_mebibyte(edit: TextEdit) -> None:
    full = "a" * LARGEST_TEXT
    assert edited("", TextEdit(REPLACE, full)) == full
    with pytest.raises(Rejected) as refused:
        edited(full, edit)
    assert refused.value.kind == "too_large"
