"""What can be a way to reach a person, whichever door it comes through: what its kind declares."""

import re
from collections.abc import Callable
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from agent_contracts.api.notifications import TIME
from agent_contracts.channels.kind import LONGEST_ADDRESS, ChannelTarget
from agent_contracts.channels.registry import CHANNEL_KINDS
from agent_contracts.entities.notifications import CHANNEL_NAME, Channel, QuietHours
from agent_contracts.errors import Rejected
from agent_contracts.form_inputs import FormInput, InputFormat, MemberFlaw
from agent_platform.settings.characters import cleaned, flaw_in_key, flaw_in_name, flaw_in_text
from egress.targets import target_of

_MAILBOX = re.compile(r"[^@\s<>,;\"\x00-\x1f\x7f]{1,64}@[A-Za-z0-9.-]{1,253}")
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:-]{0,252}")


def cleaned_target(target: ChannelTarget) -> ChannelTarget:
    """Where a person means it to lead: what comes by copying is taken off before anything is checked, and
    what is left empty is as if it were left out."""
    told = {
        name: cleaned(one) for name, one in msgspec.structs.asdict(target).items() if isinstance(one, str)
    }
    left_out = {one.name: one.default for one in msgspec.structs.fields(target) if not one.required}
    given = {name: left_out.get(name, one) if one == "" else one for name, one in told.items()}
    return msgspec.structs.replace(target, **given)


def check_channel(channel: Channel) -> None:
    """`Rejected`, with where, for what can't be a channel. It doesn't repeat what may be secret."""
    if not re.fullmatch(CHANNEL_NAME, channel.name):
        raise _rejected("a channel's name has a-z, 0-9 and -, at most 40, and begins with a letter or digit")
    if not channel.kinds:
        raise _rejected("say of what kinds the channel tells: reminder, question, failure")
    kind = CHANNEL_KINDS[channel.target.kind]
    for one in kind.inputs:
        value = getattr(channel.target, one.name)
        flaw = _flaw(one, value) if isinstance(value, str) else None
        if flaw is not None:
            raise _rejected(flaw, one.name)
    if kind.check is not None:
        try:
            kind.check(channel.target)
        except MemberFlaw as flawed:
            raise _rejected(str(flawed), flawed.field) from None


def check_quiet(hours: QuietHours) -> None:
    """`Rejected` for hours that can't be."""
    if not re.fullmatch(TIME, hours.begins) or not re.fullmatch(TIME, hours.ends):
        raise _rejected("quiet hours begin and end at a time such as 22:00")
    if hours.begins == hours.ends:
        raise _rejected("quiet hours that begin when they end would never end: give two times, or none")
    try:
        ZoneInfo(hours.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise _rejected(f"{hours.timezone[:64]!r} is not a time zone such as Europe/Oslo") from error


def checked_address(address: str) -> str:
    """Where the page is opened, with a `/` at its end. `Rejected` for what can't be that."""
    flaw = flaw_in_name(address)
    if flaw is None and len(address) > LONGEST_ADDRESS:
        raise _rejected(f"an address has at most {LONGEST_ADDRESS} characters")
    if flaw is not None:
        raise _rejected(f"an address can't be this: {flaw}")
    if (flaw := _flaw_in_address(address)) is not None:
        raise _rejected(flaw)
    if "#" in address or "?" in address:
        raise _rejected("the page's address ends before any # or ?")
    return address if address.endswith("/") else address + "/"


def led_to(target: ChannelTarget) -> str:
    """Where a channel leads, without what is as good as a password."""
    kind = CHANNEL_KINDS[target.kind]
    formats = {one.name: one.format for one in kind.inputs}
    shown = next(name for name in kind.leads_to if getattr(target, name))
    value = str(getattr(target, shown))
    return target_of(value).host if formats[shown] == "uri" else value


def _flaw(asked: FormInput, value: str) -> str | None:
    """Why a text can't be what is asked for."""
    if value == "":
        return f"{asked.label} is missing" if asked.required else None
    unseen = flaw_in_key if asked.format == "token" else flaw_in_name if asked.format else flaw_in_text
    if (found := unseen(value)) is not None:
        return f"{asked.label} can't be this: {found}"
    flaw = _BY_FORMAT[asked.format](value) if asked.format in _BY_FORMAT else None
    if flaw is not None:
        return f"{asked.label}: {flaw}"
    if asked.pattern and not re.fullmatch(asked.pattern, value):
        return f"{asked.label} can't be this. {asked.help}"
    return None


def _flaw_in_address(url: str) -> str | None:
    try:
        target_of(url)
    except Rejected as error:
        return error.message
    return None


def _flaw_in_mailbox(text: str) -> str | None:
    return None if _MAILBOX.fullmatch(text) else "a mail address looks like me@example.org, without a name"


def _flaw_in_host(text: str) -> str | None:
    return None if _HOST.fullmatch(text) else "a server is named by its host, such as mail.example.org"


_BY_FORMAT: dict[InputFormat | None, Callable[[str], str | None]] = {
    "uri": _flaw_in_address,
    "email": _flaw_in_mailbox,
    "hostname": _flaw_in_host,
}


def _rejected(message: str, member: str | None = None) -> Rejected:
    return Rejected(message, kind="invalid_request", path=None if member is None else f"/target/{member}")
