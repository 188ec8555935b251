"""What `delegate_to` takes, wherever the delegate is."""

from typing import Annotated

from pydantic import Field

from agent_tools.tool import Arguments


class DelegateTo(Arguments):
    """Whom, and what."""

    target: Annotated[str, Field(min_length=1, max_length=64, description="The delegate's name.")]
    query: Annotated[
        str,
        Field(min_length=1, max_length=50_000, description="All that it needs: it sees nothing else."),
    ]
    background: Annotated[
        bool,
        Field(
            description="Don't wait: a sub-session asks it, and reports; wait_for_sessions has its answer."
        ),
    ] = False
