"""What several tools of PDFs take and give."""

from typing import Annotated, Literal, TypeVar

import msgspec
from pydantic import Field

from agent_contracts.json_value import Json
from agent_tools.tool import Arguments
from tool_runner.agent.file_arguments import OfFile, ToFile
from tool_runner.documents.pdfs.terms import TextLook

Page = Annotated[int, Field(description="From 1.")]
Password = Annotated[str | None, Field(max_length=127, description="Of an encrypted PDF.")]
Color = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$", description="#rrggbb.")]
FontSize = Annotated[float, Field(ge=3, le=300, description="Points.")]
FontFile = Annotated[
    str | None,
    Field(description="Path or file_id of a TrueType font, for letters that the built-in one lacks."),
]
Points = Annotated[float, Field(ge=0, le=14_400, description="Points.")]
Width = Annotated[float | None, Field(gt=0, le=14_400, description="Points.")]


class OfPdf(OfFile):
    """A PDF to be read."""

    password: Password = None


class ToPdf(ToFile):
    """A PDF to be changed."""

    password: Password = None


class TextLookArguments(Arguments):
    """How text looks."""

    font_size: FontSize = 11
    color: Color = "#000000"
    style: Literal["", "bold", "italic"] = ""
    align: Literal["left", "center", "right"] = "left"

    def look(self) -> TextLook:
        """As what draws it takes it."""
        return TextLook(self.font_size, self.color, self.style, self.align)


T = TypeVar("T")


def of_type(value: Json, type_: type[T]) -> T:
    """What a job said. `msgspec.ValidationError` is a bug of ours."""
    return msgspec.convert(value, type_)
