"""What a person's settings may be: their names, the values that they take, how those are stored."""

from typing import Any, get_args

from pydantic import SecretStr, ValidationError

from agent_contracts.api.settings import Form
from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_domain.models import KeySettings
from agent_domain.personal.declarations import INSTALLATION_ONLY, PersonSettings
from agent_platform.settings.characters import cleaned_list, flaw_in_key
from agent_platform.settings.settings import BaseSettings
from agent_platform.settings.sources import NAMED_FLAW, AllowedValues

NAMES = tuple(name for name in PersonSettings.model_fields if name not in BaseSettings.model_fields)
"""All of a person's settings."""
LONGEST_KEY = 8 * 1024
_SHOWN = 60


def is_secret(name: str) -> bool:
    """Whether the value of this setting is kept apart from the log, and never shown."""
    return SecretStr in get_args(PersonSettings.model_fields[name].annotation)


def may_be_empty(name: str) -> bool:
    """Whether an empty text says that this setting has no value, whatever stands at other levels."""
    return type(None) in get_args(PersonSettings.model_fields[name].annotation) and not is_secret(name)


def choices(name: str) -> tuple[str, ...]:
    """The values of a setting that is one of a few; none for others."""
    found = get_args(PersonSettings.model_fields[name].annotation)
    return found if found and all(isinstance(one, str) for one in found) else ()


def form(name: str) -> Form:
    """How its value is written."""
    if is_secret(name):
        return "secret"
    if choices(name):
        return "choice"
    if name == "prices":
        return "prices"
    if name.endswith("_url"):
        return "address"
    annotation = PersonSettings.model_fields[name].annotation
    numbers = {annotation, *get_args(annotation)} & {int, float}
    return "number" if numbers else "text"


def allowed(name: str) -> str:
    """What it accepts, in words."""
    field = PersonSettings.model_fields[name]
    words = next((item.words for item in field.metadata if isinstance(item, AllowedValues)), "a text")
    if name in KeySettings.model_fields:
        return "a key, or several, separated by commas"
    return "a key" if is_secret(name) else words


def meaning(name: str) -> str:
    """What it is for."""
    return PersonSettings.model_fields[name].description or ""


def check_name(name: str, *, of_agent: bool) -> None:
    """`Rejected` for a name that no setting of this level has."""
    if name not in NAMES:
        raise refused(name, f"No setting is named {name[:_SHOWN]!r}.")
    if of_agent and name in INSTALLATION_ONLY:
        raise refused(name, f"{name} holds for all agents: set it for the installation.")


def checked(name: str, value: Json) -> Json:
    """A value as it is stored. `Rejected` says where it is wrong, and what is allowed, without a secret."""
    if is_secret(name):
        return _checked_key(name, value)
    if value == "" and may_be_empty(name):
        return ""
    try:
        made = _made(name, value)
    except ValidationError as error:
        flaw = next((one["msg"] for one in error.errors() if one["type"] == NAMED_FLAW), None)
        if flaw is not None:
            raise refused(name, f"{name} can't be set to this: {flaw}.") from None
        where = "".join(f"/{_pointer(part)}" for part in error.errors()[0]["loc"][1:])
        said = repr(value) if len(repr(value)) <= _SHOWN else f"{repr(value)[:_SHOWN]}…"
        raise refused(f"{name}{where}", f"{name} can't be {said}. Allowed: {allowed(name)}.") from None
    stored: Json = made.model_dump(mode="json", include={name})[name]
    return stored


def read(name: str, stored: Json) -> Any:
    """A stored value as settings have it. `Rejected` for one that is none (any more)."""
    if stored == "" and may_be_empty(name):
        return None
    try:
        return getattr(_made(name, stored), name)
    except ValidationError:
        raise refused(name, f"what is stored as {name} is not a value of it") from None


def refused(where: str, sentence: str) -> Rejected:
    """Why a value can't be set; `where` is below `/values`."""
    return Rejected(sentence, kind="invalid_request", path=f"/values/{where}")


def _made(name: str, value: Json) -> PersonSettings:
    if isinstance(value, bool):
        value = str(value)  # else true would be 1
    return PersonSettings.model_validate({"data_dir": "/", name: value})


def _checked_key(name: str, value: Json) -> str:
    if not isinstance(value, str) or not cleaned_list(value).strip(","):
        raise refused(name, f"{name} must be a key, as its provider shows it. To remove it, reset it.")
    key = cleaned_list(value)
    if len(key) > LONGEST_KEY:
        raise refused(name, f"{name} can't be a key: it has at most {LONGEST_KEY} characters.")
    flaw = flaw_in_key(key)
    if flaw is not None:
        raise refused(name, f"{name} can't be a key: {flaw}.")
    return key


def _pointer(part: int | str) -> str:
    return str(part)[:_SHOWN].replace("~", "~0").replace("/", "~1")
