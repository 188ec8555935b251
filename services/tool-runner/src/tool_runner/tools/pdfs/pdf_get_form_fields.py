"""`pdf_get_form_fields`: what a form asks for."""

from agent_platform.log.storable_text import storable_text
from agent_tools.tool import PURE, Result, tool
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.documents.pdfs.terms import Field, FieldType, Value
from tool_runner.tools.pdfs.pdf_arguments import OfPdf
from tool_runner.tools.pdfs.results import of_type


class FormField(Result):
    """A field. With `options` it takes only these (`several`: a list of them)."""

    name: str
    type: FieldType
    value: Value
    options: list[str] | None
    pages: list[int]
    multiline: bool
    several: bool
    read_only: bool
    required: bool
    max_length: int | None


class FormFields(Result):
    """The form of a PDF; no fields if it has none."""

    file_id: str
    path: str
    version: int
    fields: list[FormField]


@tool("pdf_get_form_fields", family="pdfs", effect=PURE, timeout_s=40)
async def pdf_get_form_fields(args: OfPdf, documents: FileDocuments) -> FormFields:
    """The fields of a PDF's form: names, types, values, and what each takes."""
    file, done = await documents.read(args.ref, Work("pdfs.fields", {"password": args.password}))
    return FormFields(
        file_id=file.file_id,
        path=file.path,
        version=file.version,
        fields=[
            FormField(
                name=field.name,
                type=field.type,
                value=storable_text(field.value) if isinstance(field.value, str) else field.value,
                options=field.options,
                pages=field.pages,
                multiline=field.multiline,
                several=field.several,
                read_only=field.read_only,
                required=field.required,
                max_length=field.max_length,
            )
            for field in of_type(done.value, list[Field])
        ],
    )
