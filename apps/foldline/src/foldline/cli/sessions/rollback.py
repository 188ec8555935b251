"""`foldline rollback`."""

import json
import uuid
from enum import StrEnum
from typing import Annotated

import typer
from rich.markup import escape

from agent_contracts.errors import Rejected
from agent_contracts.log.address import Address, parse_address
from foldline.cli.client import gateway
from foldline.cli.naming import SessionName, event_option, session_id
from foldline.cli.output import JsonOption, clean, console, failures_shown, print_json
from foldline.cli.value_diff import value_diff
from gateway.operations.rewind.previews import (
    DatabaseChange,
    FileChange,
    FileVersion,
    RollbackPreview,
    Value,
)
from gateway.operations.rewind.rollbacks import RolledBack

_DATABASE = "database"
_WIDTH = 60
_LONGEST_SQL = 200


class Part(StrEnum):
    """What can go back."""

    CONVERSATION = "conversation"
    AGENT = "agent"
    FILES = "files"
    DATABASE = _DATABASE


_PARTS = [Part.CONVERSATION, Part.AGENT]


def rollback(
    session: SessionName,
    to: Annotated[Address, event_option("As it was after this event")],
    part: Annotated[
        list[Part] | None,
        typer.Option(
            help="What to roll back: conversation, agent (what this session changed), files (those it "
            "changed), database. Default: the first two."
        ),
    ] = None,
    include: Annotated[
        list[str] | None,
        typer.Option(help="KIND/NAME, or database: roll it back although others changed it too."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Rewind a session to an earlier event: shows what that undoes, then asks. Nothing is deleted.

    To undo that, go back to the event just before it.
    """
    parts = [one.value for one in part or _PARTS]
    with failures_shown(), gateway() as door:
        session = session_id(door, session)
        included = [_named(text) for text in include or [] if text != _DATABASE]
        with_database = _DATABASE in (include or [])
        preview = door.read(f"/sessions/{session}/rollback-preview", RollbackPreview, to=str(to))
        if as_json and not yes:
            print_json(preview)
            return
        if not as_json:
            _print_preview(preview, parts, included)
            if Part.FILES in parts:
                _print_files(preview.files, included)
            if _DATABASE in parts:
                _print_database(preview.database, with_database)
        if not yes:
            typer.confirm("Go back?", abort=True)
        body = {"to": str(to), "parts": parts, "include": included, "include_database": with_database}
        told = door.post(f"/sessions/{session}/rollback", body, uuid.uuid4().hex)
        done = RolledBack.model_validate(told)
        if as_json:
            print_json(done)
        else:
            _print_done(done, before=preview.log_sequence)


def _named(text: str) -> dict[str, str]:
    kind, slash, name = text.partition("/")
    if not slash:
        raise Rejected(f"--include {text!r} must be KIND/NAME, such as state/colour", kind="invalid_request")
    return {"kind": kind, "name": name}


def _print_preview(preview: RollbackPreview, parts: list[str], included: list[dict[str, str]]) -> None:
    if preview.at != parse_address(preview.to).sequence:
        console.print(
            f"[yellow]![/] Calls were open at event {preview.to}: going back to event {preview.at}",
            highlight=False,
        )
    if "conversation" in parts:
        for sign, messages in (("-", preview.hidden), ("+", preview.shown_again)):
            for message in messages:
                console.print(
                    f"{sign} [dim]{message.sequence:>6}[/] {message.role} {_short(message.text)}",
                    highlight=False,
                )
    if "agent" in parts:
        for change in preview.agent:
            chosen = {"kind": change.kind, "name": change.name} in included
            stays = change.touched_by_others and not chosen
            note = " [yellow](others changed it too: it stays; --include it to go back)[/]" if stays else ""
            if change.time_passed and not stays:
                note = " [yellow](its time has passed: it comes back as over, and doesn't happen now)[/]"
            line, *more = _differences(change.now, change.now if stays else change.before)
            console.print(
                f"{'=' if stays else '~'} {change.kind}/{escape(change.name)}: {line}{note}", highlight=False
            )
            for one in more:
                console.print(f"    {one}", highlight=False)
    changed = (preview.hidden, preview.shown_again, preview.agent, preview.files, preview.database)
    if not any(changed):
        console.print("Nothing has changed since.")


def _print_files(changes: list[FileChange], included: list[dict[str, str]]) -> None:
    for change in changes:
        chosen = {"kind": "file", "name": change.file_id} in included
        why = ""
        if change.path_taken:
            why = "another file has its path now: it stays"
        elif change.touched_by_others and not chosen:
            why = f"others changed it too: it stays; --include file/{change.file_id} to go back"
        then = change.now if why else change.before
        note = f" [yellow]({why})[/]" if why else ""
        console.print(f"{'=' if why else '~'} {_file(change.now)} → {_file(then)}{note}", highlight=False)


def _file(version: FileVersion | None) -> str:
    if version is None:
        return "nothing"
    return f"{escape(version.path)} (version {version.version}, {version.size:,} bytes)"


def _print_database(change: DatabaseChange | None, included: bool) -> None:
    if change is None:
        return
    stays = change.by_others > 0 and not included
    note = " [yellow](others wrote too: it stays; --include database to go back)[/]" if stays else ""
    console.print(f"{'=' if stays else '~'} database: {change.writes} writes{note}", highlight=False)
    if change.inexact:
        console.print(f"[yellow]![/] {escape(change.inexact)}", highlight=False)
    for write in change.latest:
        sql = _short(write.sql, _LONGEST_SQL) if write.sql is not None else "(an earlier rollback)"
        console.print(f"  [dim]{write.sequence:>6}[/] {sql}", highlight=False)


def _print_done(done: RolledBack, before: int) -> None:
    console.print(f"[green]✓[/] Back at event {done.at}", highlight=False)
    for one in done.restored:
        console.print(f"  {one.kind}/{escape(one.name)} is as it was", highlight=False)
    for other in done.left_out:
        console.print(
            f"  {other.kind}/{escape(other.name)} stays: others changed it too, or have its path",
            highlight=False,
        )
    console.print(f"[dim]To undo this: --to {before}[/]", highlight=False)


def _differences(now: Value | None, then: Value | None) -> list[str]:
    """The parts of a thing that would change: one line, or several below an empty one."""
    if now is None or then is None or now == then:
        return [f"{_value(now)} → {_value(then)}"]
    lines = [escape(clean(line)) for line in value_diff(now.value, then.value)]
    return lines if len(lines) == 1 else ["", *lines]


def _value(version: Value | None) -> str:
    return "nothing" if version is None else _short(json.dumps(version.value, ensure_ascii=False))


def _short(text: str, longest: int = _WIDTH) -> str:
    line = clean(" ".join(text.split()))
    return escape(line if len(line) <= longest else line[:longest] + "…")
