"""What was used and spent."""

from datetime import date

from agent_contracts.api.wire import Page, ResponseBody
from agent_contracts.sessions.session_view import TokensUsed
from agent_contracts.timestamp import Timestamp


class LogUsage(ResponseBody, frozen=True, kw_only=True):
    """What an agent, its sessions included, added to the log on one day."""

    day: str
    """The day, in UTC."""
    used: int
    """Bytes that were added: too high by up to 256 KiB for each process that writes."""
    limit: int
    """Bytes that it may add on a day; 0: no limit."""
    begins_anew_at: Timestamp
    """When the next day begins and `used` is 0 again."""


class DatabaseUsage(ResponseBody, frozen=True, kw_only=True):
    """The size of an agent's database."""

    used: int | None
    """Its size in bytes. Null: no worker answers, or none can make the database from its log."""
    limit: int | None
    """Its greatest size in bytes; 0: no limit. Null: no worker answers."""


class KeptPart(ResponseBody, frozen=True, kw_only=True):
    """A part of what an agent stores."""

    part: str
    """What it is: `files`, `database`, its `snapshots`, `texts`, `state`, `code`, `pages`, `skills`,
    `schedules` or `other`."""
    bytes: int
    """Size in bytes."""


class KeptUsage(ResponseBody, frozen=True, kw_only=True):
    """What an agent stores now; earlier versions don't count."""

    used: int
    """Size of everything, in bytes."""
    limit: int
    """The greatest size in bytes; 0: no limit."""
    parts: list[KeptPart]
    """The parts, the largest first."""


class AgentUsage(ResponseBody, frozen=True, kw_only=True):
    """What an agent uses of its quotas."""

    agent_id: str
    log: LogUsage
    """What it added to the log today."""
    database: DatabaseUsage
    """The size of its database."""
    kept: KeptUsage
    """What it stores, apart from the log."""


class SpacePart(ResponseBody, frozen=True, kw_only=True):
    """A part of what the log holds of an agent."""

    part: str
    """What it is: `chats`, `archived_chats`, `runs` of scheduled tasks, `woken_chats` that another service
    began, `sub_sessions`, or the `agent` itself with every version of what it has."""
    sessions: int
    """Number of sessions; 0 for `agent`."""
    events: int
    """Number of events."""
    bytes: int
    """About how many bytes they take in the tables; the log takes about as much."""
    goes: str | None
    """What removes it, in words; null: nothing does."""


class UsageTotal(ResponseBody, frozen=True, kw_only=True):
    """Tokens and their cost."""

    tokens: int
    cost_micros: int
    """Cost as far as it is known, in millionths of a US dollar."""
    unpriced: int
    """Tokens whose price is unknown: they are not in `cost_micros`."""


class SpentBy(ResponseBody, frozen=True, kw_only=True):
    """What was spent on models."""

    today: UsageTotal
    """What was spent today."""
    total: UsageTotal
    """What was spent in all."""
    held: UsageTotal
    """What is reserved for calls that are being made."""


class Spending(ResponseBody, frozen=True, kw_only=True):
    """What all agents spent on models, and one of them: what caps count, up to a second ago. Attempts that
    failed and erased agents are included."""

    day: str
    """Today, in UTC."""
    all: SpentBy
    """What all agents spent."""
    agent: SpentBy | None
    """What the agent spent that was asked for; null: none was."""


class Cost(ResponseBody, frozen=True, kw_only=True):
    """What an agent's calls of one model cost on one day."""

    day: date
    """The day, in the `timezone` of the list."""
    agent_id: str
    model: str | None
    """The model; null: what tools asked models for."""
    calls: int
    """Number of model calls."""
    usage: TokensUsed
    """Tokens and cost of the calls; `cost_micros` leaves out `unpriced_tokens`."""
    unpriced_tokens: int
    """Tokens whose price is unknown."""


class Costs(Page[Cost], frozen=True, kw_only=True):
    """Costs by day, newest first."""

    timezone: str
    """The IANA time zone whose midnight begins a day."""
