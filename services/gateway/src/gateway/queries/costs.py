"""What model calls took, by day: those of turns, and those that tools made."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from agent_contracts.api.usage import Cost, Costs
from agent_contracts.sessions.session_view import TokensUsed
from agent_domain.schedules.zones import instant
from gateway.queries.database import ProjectionSnapshot

_COSTS = """
    SELECT %(first)s::date + day - 1 AS day, agent_id, model, count(*) AS calls,
           sum(input)::bigint AS input, sum(output)::bigint AS output,
           sum(cached_input)::bigint AS cached_input, sum(cache_written)::bigint AS cache_written,
           bool_or(counted) AS counted, sum(used.cost_micros)::bigint AS cost_micros,
           sum(tokens)::bigint AS tokens,
           coalesce(sum(tokens) FILTER (WHERE used.cost_micros IS NULL), 0)::bigint AS unpriced_tokens
    FROM (
        SELECT width_bucket(c.finished_at, %(begins)s::timestamptz[]) AS day, s.agent_id, c.model, c.usage
        FROM model_calls c JOIN sessions s USING (session_id) WHERE c.usage IS NOT NULL
        UNION ALL
        SELECT width_bucket(c.finished_at, %(begins)s::timestamptz[]), s.agent_id, NULL, c.accounting->'usage'
        FROM tool_calls c JOIN sessions s USING (session_id)
        WHERE jsonb_typeof(c.accounting->'usage') = 'object'
    ) calls, jsonb_to_record(usage) AS used (
        input bigint, output bigint, cached_input bigint, cache_written bigint, counted boolean,
        cost_micros bigint, tokens bigint
    )
    WHERE (%(agent_id)s::text IS NULL OR agent_id = %(agent_id)s)
      AND day > 0
    GROUP BY day, agent_id, model
    ORDER BY day DESC, agent_id, cost_micros DESC NULLS LAST, model NULLS LAST
"""


def beginnings(now: datetime, days: int, zone: ZoneInfo) -> dict[date, datetime]:
    """When each of the last `days` begins in a zone, today among them, and when tomorrow does; oldest first.

    Where the clocks jump over midnight, a day begins with the first moment after the gap.
    """
    today = now.astimezone(zone).date()
    dates = [today + timedelta(days=number) for number in range(1 - days, 2)]
    return {day: instant(datetime.combine(day, time.min), zone) for day in dates}


async def by_day(snapshot: ProjectionSnapshot, agent_id: str | None, days: int, zone: ZoneInfo) -> Costs:
    """The last `days`, today among them, of one agent or of all."""
    [clock] = await snapshot.rows("SELECT now() AS now")
    begins = beginnings(clock["now"], days, zone)  # not by Postgres' zones: it may not know all of ours
    rows = await snapshot.rows(
        _COSTS, agent_id=agent_id, first=next(iter(begins)), begins=list(begins.values())
    )
    found = [
        Cost(
            day=row["day"],
            agent_id=row["agent_id"],
            model=row["model"],
            calls=row["calls"],
            usage=msgspec.convert({name: row[name] for name in TokensUsed.__struct_fields__}, TokensUsed),
            unpriced_tokens=row["unpriced_tokens"],
        )
        for row in rows
    ]
    return Costs(timezone=zone.key, items=found)
