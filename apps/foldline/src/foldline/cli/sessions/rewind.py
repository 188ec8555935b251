"""`foldline rewind`."""

import json
import uuid
from enum import StrEnum
from typing import Annotated, Any

import msgspec
import typer
from rich.markup import escape

from agent_contracts.api.rewinds import DatabaseChange, FileChange, FileVersion, SessionRewindPreview, Value
from agent_contracts.entities.rewinds import DATABASE
from agent_contracts.errors import Rejected
from agent_contracts.log.address import Address, parse_address
from agent_contracts.selection import Selection, selects
from foldline.cli.agents.rewind_agent import print_staying, rewind_agent, selections
from foldline.cli.client import gateway
from foldline.cli.naming import event_option, session_id
from foldline.cli.output import JsonOption, clean, console, failures_shown, print_json
from foldline.cli.value_diff import value_diff

_WIDTH = 60
_LONGEST_SQL = 200


class RewindTarget(StrEnum):
    """What can go back."""

    CONVERSATION = "conversation"
    AGENT = "agent"
    FILES = "files"
    DATABASE = DATABASE


_PARTS = [RewindTarget.CONVERSATION, RewindTarget.AGENT]


def rewind(
    to: Annotated[Address, event_option("Go back to right after this event")],
    session: Annotated[
        str | None,
        typer.Argument(metavar="SESSION", help="The session: its id, the first characters of it, or latest."),
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="Rewind this whole agent instead of a session.", metavar="AGENT")
    ] = None,
    part: Annotated[
        list[RewindTarget] | None,
        typer.Option(
            help="The part of a session to rewind: conversation, agent, files or database. Repeatable "
            "(default: conversation and agent)."
        ),
    ] = None,
    include: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND/NAME",
            help="Rewind this thing, or the database, even if others changed it too. Repeatable.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND[/NAME]", help="With --agent: rewind only this kind or thing. Repeatable."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Skip the confirmation.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Rewind a session, or a whole agent, to an earlier event. Shows what changes and asks first.

    A session's rewind undoes its messages and what it changed in its agent. An agent's rewind (--agent)
    undoes every later change, by anyone: prompt, notes, state, tools, pages, skills, files, reminders,
    schedules, settings, database. Sessions stay. Nothing is deleted: to undo a rewind, rewind to the event
    before it.
    """
    if (session is None) == (agent is None):
        raise typer.BadParameter("Name a session, or an agent with --agent")
    if agent is not None:
        if part or include:
            raise typer.BadParameter("--part and --include are for sessions; with --agent use --only")
        rewind_agent(agent, to, only or [], yes=yes, as_json=as_json)
        return
    if only:
        raise typer.BadParameter("--only is for --agent; for a session use --part")
    assert session is not None
    _rewind_session(session, to, [one.value for one in part or _PARTS], include or [], (yes, as_json))


def _rewind_session(
    session: str, to: Address, parts: list[str], include: list[str], how: tuple[bool, bool]
) -> None:
    yes, as_json = how
    with failures_shown(), gateway() as door:
        session = session_id(door, session)
        for text in include:
            if text != DATABASE and "/" not in text:
                raise Rejected(
                    f"--include {text!r} must be KIND/NAME, such as state/colour", kind="invalid_request"
                )
        including = selections(include)
        preview = door.read(f"/sessions/{session}/rewind-preview", SessionRewindPreview, to=str(to))
        if as_json and not yes:
            print_json(preview)
            return
        if not as_json:
            _print_preview(preview, parts, including)
            if RewindTarget.FILES in parts:
                _print_files(preview.files, including)
            if DATABASE in parts:
                _print_database(preview.database, selects(including, DATABASE, DATABASE))
        if not yes:
            typer.confirm("Rewind?", abort=True)
        body = {"to": str(to), "parts": parts, "including": msgspec.to_builtins(including)}
        done = door.post(f"/sessions/{session}:rewind", body, uuid.uuid4().hex)
        if as_json:
            print_json(done)
        else:
            _print_done(done, before=preview.log_sequence)


def _print_preview(preview: SessionRewindPreview, parts: list[str], including: tuple[Selection, ...]) -> None:
    if preview.target_sequence != parse_address(preview.to).sequence:
        console.print(
            f"[yellow]![/] Tools were still running at event {preview.to}: "
            f"going back to just before them (event {preview.target_sequence})",
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
            chosen = selects(including, change.kind, change.name)
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


def _print_files(changes: list[FileChange], including: tuple[Selection, ...]) -> None:
    for change in changes:
        chosen = selects(including, "file", change.file_id)
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
        sql = _short(write.sql, _LONGEST_SQL) if write.sql is not None else "(an earlier rewind)"
        console.print(f"  [dim]{write.sequence:>6}[/] {sql}", highlight=False)


def _print_done(done: dict[str, Any], before: int) -> None:
    console.print(f"[green]✓[/] Back at event {done['target_sequence']}", highlight=False)
    for kind, number in done["rewound"].items():
        console.print(f"  {kind}: {number:,} as before", highlight=False)
    print_staying(done["stays"])
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
