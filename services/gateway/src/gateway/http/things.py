"""The routes that are the same for things of every kind that an agent has."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from agent_contracts.api.versions import DeleteResult, Revert, Version, VersionTarget
from agent_contracts.api.wire import Page
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import (
    LIMIT,
    AsOf,
    NumberCursor,
    Using,
    VersionPath,
)
from gateway.operations.agents.things import Things
from gateway.operations.operations import Operations

Verb = Literal["read", "versions", "version", "revert", "delete"]
ALL: tuple[Verb, ...] = ("read", "versions", "version", "revert", "delete")
ONE_OF_AGENT: tuple[Verb, ...] = ("read", "versions", "revert")
"""Of what an agent has one of, which is never deleted."""
_IDS: Mapping[Verb, str] = {
    "read": "get{}",
    "versions": "list{}Versions",
    "version": "get{}Version",
    "revert": "revert{}",
    "delete": "delete{}",
}
_WORDS: Mapping[Verb, str] = {
    "read": "All of one, now or as it was after event `at`.",
    "versions": "Who changed it and when, newest first, deletions included.",
    "version": "One version of it. After a deletion numbers begin again: the newest of this number is meant.",
    "revert": "Make an earlier version the newest, also of one that was deleted. Nothing is taken out of\n"
    "the history.",
    "delete": "Delete it; its versions stay readable, and it can be reverted to one.",
}


def things(
    router: APIRouter,
    of: Callable[[Operations], Things[Any, Any]],
    shape: type,
    place: tuple[str, Any],
    names: Mapping[Verb, str],
    words: Mapping[Verb, str] | None = None,
) -> None:
    """Add the routes of the verbs in `names`, each with the name that its operation's id is made of. Things
    are answered as a `shape`. `place`: where one is below the router's prefix, and the parameter that says
    which is meant. `words` describe operations otherwise than for all kinds."""
    path, which = place
    told = {**_WORDS, **(words or {})}

    def add(method: str, verb: Verb, below: str, endpoint: Callable[..., Any]) -> None:
        if verb in names:
            router.add_api_route(
                path + below,
                endpoint,
                methods=[method],
                operation_id=_IDS[verb].format(names[verb]),
                description=told[verb],
                response_model={"versions": Page[Version], "delete": DeleteResult}.get(verb, shape),
            )

    async def read(operations: Using, place: which, at: AsOf = None) -> Any:  # type: ignore[valid-type]
        return await of(operations).read(place, at)

    async def list_versions(
        operations: Using,
        place: which,  # type: ignore[valid-type]
        cursor: NumberCursor,
        limit: Annotated[int, Query(ge=1, le=200, description=LIMIT)] = 50,
    ) -> Page[Version]:
        return await of(operations).versions(place, cursor, limit)

    async def read_version(
        operations: Using,
        place: which,  # type: ignore[valid-type]
        version: VersionPath,
    ) -> Any:
        return await of(operations).version(place, VersionTarget(version=version))

    async def revert(
        operations: Using,
        place: which,  # type: ignore[valid-type]
        body: Revert,
        idempotency: KeyHeader = None,
    ) -> Any:
        return await of(operations).revert(place, body.target, asked(idempotency, body))

    async def delete(operations: Using, place: which, idempotency: KeyHeader = None) -> DeleteResult:  # type: ignore[valid-type]
        return await of(operations).delete(place, asked(idempotency))

    add("GET", "read", "", read)
    add("DELETE", "delete", "", delete)
    add("GET", "versions", "/versions", list_versions)
    add("GET", "version", "/versions/{version}", read_version)
    add("POST", "revert", ":revert", revert)


def named(one: str, verbs: tuple[Verb, ...] = ALL) -> dict[Verb, str]:
    """These verbs, all with the same name in their operations' ids."""
    return dict.fromkeys(verbs, one)
