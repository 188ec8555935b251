"""The one place that holds every route to its `Idempotency-Key`."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from gateway.operations.idempotency import keys_used

KEY = "Idempotency-Key"


class KeyedRoute(APIRoute):
    """A route that documents the header must ask for what it does under the key that it was given: an answer
    that came without would be given again by a repeat, which had done it twice. It is a bug, and says so."""

    @property
    def takes_key(self) -> bool:
        """Whether it documents the header."""
        return any(one.alias == KEY for one in self.dependant.header_params)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """As FastAPI makes it, and a look at what became of the key."""
        handle = super().get_route_handler()
        if not self.takes_key:
            return handle

        async def handle_keyed(request: Request) -> Response:
            with keys_used() as used:
                response = await handle(request)
            key = request.headers.get(KEY)
            if key is not None and response.status_code < 400 and key not in used:
                raise AssertionError(f"{self.operation_id} did not use its {KEY}")
            return response

        return handle_keyed
