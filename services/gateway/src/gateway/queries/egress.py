"""What left the machine in the name of agents' calls: each request, and what became of it. A host stands for
the names below it too."""

from typing import Any

import msgspec

from agent_contracts.lists.egress import EgressRecord
from gateway.queries.cursors import ListQuery
from gateway.queries.database import Row
from gateway.queries.told_of_calls import of_call, told_of_calls

_WANTED = """(%(host)s::text IS NULL OR one->>'host' = %(host)s
         OR right(one->>'host', length(%(host)s) + 1) = '.' || %(host)s)
    AND (%(verdict)s::text IS NULL OR one->>'verdict' = %(verdict)s)"""


def _left(row: Row) -> EgressRecord:
    request: dict[str, Any] = {"bytes_out": 0, "bytes_in": 0, "status": None, "secrets": [], **row["one"]}
    return msgspec.convert({**of_call(row), **request}, EgressRecord)


QUERY = ListQuery(told_of_calls("sent", "requests", _WANTED), _left)
