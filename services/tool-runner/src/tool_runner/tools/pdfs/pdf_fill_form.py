"""`pdf_fill_form`: values for the fields of a form."""

from typing import Annotated

from pydantic import Field

from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_arguments import WrittenFile, about
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.documents.pdfs.terms import Field as Filled
from tool_runner.documents.pdfs.terms import Value, Values
from tool_runner.tools.pdfs.pdf_arguments import ToPdf
from tool_runner.tools.pdfs.results import of_type


class PdfFillForm(ToPdf):
    """The values by names of fields."""

    values: Annotated[
        dict[str, str | bool | list[str] | None],
        Field(min_length=1, max_length=2_000, description="By field. Boxes take true or false."),
    ]
    flatten: Annotated[bool, Field(description="Make the values part of the pages: no more form.")] = False


class FilledForm(WrittenFile):
    """Which fields have a value now, and which are required and still have none."""

    values: dict[str, Value]
    missing: list[str]


@tool("pdf_fill_form", family="pdfs", effect=RECORDED, timeout_s=40)
async def pdf_fill_form(args: PdfFillForm, documents: FileDocuments) -> FilledForm:
    """Fill in fields of a PDF's form; the others stay. `pdf_get_form_fields` tells which there are."""
    options = Values(args.values, args.flatten, args.password)
    file, said = await documents.write(args.target(), Work("pdfs.fill", options))
    now = of_type(said, list[Filled])
    return FilledForm(
        **about(file),
        values={field.name: field.value for field in now if field.name in args.values},
        missing=[field.name for field in now if field.required and field.value in (None, "", False)],
    )
