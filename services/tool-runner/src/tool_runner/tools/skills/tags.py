"""What a skill's tags may be."""

from typing import Annotated

from pydantic import Field

Tags = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=64)]],
    Field(max_length=32, description="A few words by which it is found."),
]
