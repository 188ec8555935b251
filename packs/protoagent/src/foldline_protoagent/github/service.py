"""GitHub's REST API, and what is shown of what it says."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from agent_tools.rest import Service

GITHUB = Service(
    name="GitHub",
    url="https://api.github.com",
    secret="GITHUB_TOKEN",
    scheme="Bearer",
    headers=(("X-GitHub-Api-Version", "2022-11-28"), ("User-Agent", "Foldline")),
)
NEEDS = (f"secret:{GITHUB.secret}",)
LONGEST_BODY = 8_000
"""Characters of what somebody wrote in an issue."""


def _no_step_up(text: str) -> str:
    if ".." in text or text.endswith("/."):
        raise ValueError("must not hold a step up")
    return text


Repo = Annotated[
    str,
    AfterValidator(_no_step_up),
    Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$", description="owner/name"),
]
Ref = Annotated[
    str,
    AfterValidator(_no_step_up),
    Field(min_length=1, max_length=250, pattern=r"^[^\s?#]+$", description="A commit, a branch or a tag."),
]
Number = Annotated[int, Field(ge=1, le=2**31, description="Its number.")]


def who(part: Any) -> str:
    """The login of an account, which may be gone."""
    return str((part or {}).get("login") or "ghost")


def cut(text: str, most: int) -> str:
    """The text, cut where it is longer."""
    return text if len(text) <= most else f"{text[:most]}\n…[truncated]"


def labels(issue: Any) -> str:
    """Its labels in words; empty if it has none."""
    names = [str(one.get("name", "")) for one in issue.get("labels") or [] if isinstance(one, dict)]
    return f" · labels: {', '.join(names)}" if names else ""
