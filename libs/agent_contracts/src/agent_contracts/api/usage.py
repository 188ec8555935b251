"""What was used and spent."""

from datetime import date

from agent_contracts.api.wire import Page, ResponseBody
from agent_contracts.sessions.session_view import TokensUsed
from agent_contracts.timestamp import Timestamp


class LogUsage(ResponseBody, frozen=True, kw_only=True):
    """Bytes that the agent, its sessions included, added to the log on `day` (UTC): up to 256 KiB more for
    each process that writes. `limit`: what it may add in a day, 0 for no limit; it begins anew at
    `begins_anew_at`."""

    day: str
    used: int
    limit: int
    begins_anew_at: Timestamp


class DatabaseUsage(ResponseBody, frozen=True, kw_only=True):
    """Bytes of the agent's database now, and what it may have (0: no limit); both null while no tool runner
    answers, or none can make the database from its log."""

    used: int | None
    limit: int | None


class KeptPart(ResponseBody, frozen=True, kw_only=True):
    """A part of what an agent keeps (`files`, `database`, its `snapshots`, `texts`, `state`, `code`, `pages`,
    `skills`, `schedules`, `other`), in bytes."""

    part: str
    bytes: int


class KeptUsage(ResponseBody, frozen=True, kw_only=True):
    """Bytes of all that the agent keeps now, the largest part first; earlier versions don't count. `limit`:
    what it may keep, 0 for no limit."""

    used: int
    limit: int
    parts: list[KeptPart]


class AgentUsage(ResponseBody, frozen=True, kw_only=True):
    """What an agent has used of what it may use."""

    agent_id: str
    log: LogUsage
    database: DatabaseUsage
    kept: KeptUsage


class UsageTotal(ResponseBody, frozen=True, kw_only=True):
    """Tokens in and out, and what of their cost is known, in millionths of a US dollar; of `unpriced` tokens
    nobody knows the price."""

    tokens: int
    cost_micros: int
    unpriced: int


class SpentBy(ResponseBody, frozen=True, kw_only=True):
    """What was spent today and in all, and what is held back for calls that are being made."""

    today: UsageTotal
    total: UsageTotal
    held: UsageTotal


class Spending(ResponseBody, frozen=True, kw_only=True):
    """What all agents spent on models, and one of them. Caps count so, within a second: with attempts that
    failed, and with agents that were erased. `day` is UTC's."""

    day: str
    all: SpentBy
    agent: SpentBy | None


class Cost(ResponseBody, frozen=True, kw_only=True):
    """What an agent's calls of one model took on one day. `model` is null for what tools asked models for.

    `unpriced_tokens` are those whose cost nobody knows: `usage.cost_micros` is that of the others.
    """

    day: date
    agent_id: str
    model: str | None
    calls: int
    usage: TokensUsed
    unpriced_tokens: int


class Costs(Page[Cost], frozen=True, kw_only=True):
    """Newest day first; days begin at midnight in `timezone`."""

    timezone: str
