# Without a docstring: models are told no more of this family than its name.

import base64
from typing import Annotated, Any, Literal, Self

import msgspec
from pydantic import Field, model_validator

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_domain.files.file import File, FileRef
from agent_tools.tool import PURE, RECORDED, Result, tool
from tool_runner.agent.file_arguments import OfFile, ToFile, WrittenFile, about, ref_of
from tool_runner.agent.file_documents import FileDocuments, FileJob
from tool_runner.documents.images.options import ENDINGS, Composite, Convert, Crop, Form, Resize

Pixels = Annotated[int, Field(ge=1, le=50_000, description="In pixels.")]
FromLeft = Annotated[int, Field(ge=0, description="Pixels from the left.")]
FromTop = Annotated[int, Field(ge=0, description="Pixels from the top.")]
Quality = Annotated[int, Field(ge=1, le=100, description="Of JPEG and WebP.")]


class ToImage(ToFile):
    """An image to be changed; the ending of `output_path` says in which format."""

    @model_validator(mode="after")
    def _a_known_ending(self) -> Self:
        if self.output_path is not None and form_of(self.output_path) is None:
            raise ValueError(f"output_path must end in one of {', '.join('.' + one for one in ENDINGS)}")
        return self

    @property
    def form(self) -> Form | None:
        """In which format; None for the one it has."""
        return form_of(self.output_path) if self.output_path is not None else None


class WrittenImage(WrittenFile):
    """The image's file, and its pixels."""

    width: int
    height: int


def form_of(path: str) -> Form | None:
    """The format that a path's ending names."""
    return ENDINGS.get(path.rpartition("/")[2].rpartition(".")[2].lower()) if "." in path else None


def image_of(file: File, said: Json) -> WrittenImage:
    """The file, and what the job said of it."""
    assert isinstance(said, dict)
    values: dict[str, Any] = {**about(file), **said}
    return WrittenImage(**values)


class ImageInfo(Result):
    """The file, and the image as it is shown; `frames` are more than one where it moves."""

    file_id: str
    path: str
    version: int
    size: int
    width: int
    height: int
    format: str
    mode: str
    transparent: bool
    frames: int
    dpi: int | None


@tool("image_info", family="images", effect=PURE, timeout_s=40)
async def image_info(args: OfFile, documents: FileDocuments) -> ImageInfo:
    """What an image is: width and height in pixels, format, whether it moves or can be seen through."""
    file, done = await documents.read(args.ref, FileJob("images.about"))
    assert isinstance(done.value, dict)
    return ImageInfo.model_validate({**about(file), **done.value})


LARGEST = 10_000_000
"""Bytes of an image that is given as text."""


class ImageText(Result):
    """The image's bytes as base64, and what they are."""

    media_type: str
    width: int
    height: int
    size: int
    base64: str


@tool("image_to_base64", family="images", effect=PURE, timeout_s=40)
async def image_to_base64(args: OfFile, documents: FileDocuments) -> ImageText:
    """An image as base64. Over 190 KB you get its beginning; code gets all, up to 10 MB.

    To look at an image, use file_view."""
    file, done = await documents.read(args.ref, FileJob("images.about"))
    if file.size > LARGEST:
        why = f"{file.path} has {file.size:,} bytes; at most {LARGEST:,} are given as text: resize it first"
        raise Rejected(why, kind=ErrorKind.TOO_LARGE)
    assert isinstance(done.value, dict)
    width, height = done.value["width"], done.value["height"]
    assert isinstance(width, int)
    assert isinstance(height, int)
    text = base64.b64encode(await documents.bytes_of(file)).decode()
    return ImageText(media_type=file.media_type, width=width, height=height, size=file.size, base64=text)


At = Annotated[int, Field(ge=-50_000, le=50_000, description="Pixels from the top left, also negative.")]


class ImageComposite(ToImage):
    """What goes on it, and where."""

    overlay: Annotated[str, Field(min_length=1, description="The other image: file_id or path.")]
    x: At = 0
    y: At = 0
    width: Annotated[Pixels | None, Field(description="Of the overlay. Default: its own.")] = None
    height: Annotated[Pixels | None, Field(description="Of the overlay. Default: its own.")] = None
    opacity: Annotated[float, Field(ge=0, le=1, description="Of the overlay.")] = 1.0


@tool("image_composite", family="images", effect=RECORDED, timeout_s=60)
async def image_composite(args: ImageComposite, documents: FileDocuments) -> WrittenImage:
    """Put an image on another one: a logo, a watermark. What sticks out is cut off."""
    options = Composite(
        form=args.form, x=args.x, y=args.y, width=args.width, height=args.height, opacity=args.opacity
    )
    try:
        overlay = await documents.file(ref_of(args.overlay))
    except Rejected as error:
        raise Rejected(error.message, kind=error.kind, path="/overlay") from error
    work = FileJob("images.composite", options, (FileRef(file_id=overlay.file_id),))
    return image_of(*await documents.write(args.target(), work))


class ImageConvert(ToImage):
    """Into which format."""

    format: Form
    quality: Quality = 85
    background: Annotated[
        str, Field(pattern=r"^[0-9A-Fa-f]{6}$", description="RRGGBB behind what is seen through, in JPEG.")
    ] = "FFFFFF"


@tool("image_convert", family="images", effect=RECORDED, timeout_s=60)
async def image_convert(args: ImageConvert, documents: FileDocuments) -> WrittenImage:
    """Convert an image to another format: a new file with the format's ending beside it, or at output_path.

    Turned upright, without a camera's notes; one that moves stays so in gif, webp and png."""
    options = Convert(form=args.format, quality=args.quality, background=args.background)
    target = args.target()
    if args.output_path is None:
        file = await documents.file(args.ref)
        if form_of(file.path) != args.format:
            target = msgspec.structs.replace(target, output_path=_beside(file.path, args.format))
    return image_of(*await documents.write(target, FileJob("images.convert", options)))


def _beside(path: str, form: Form) -> str:
    """The same path with the format's ending."""
    folder, slash, name = path.rpartition("/")
    stem = name.rpartition(".")[0] if form_of(name) is not None else name
    return f"{folder}{slash}{stem}.{'jpg' if form == 'jpeg' else form}"


class ImageCrop(ToImage):
    """What is left."""

    x: FromLeft
    y: FromTop
    width: Pixels
    height: Pixels


@tool("image_crop", family="images", effect=RECORDED, timeout_s=60)
async def image_crop(args: ImageCrop, documents: FileDocuments) -> WrittenImage:
    """Crop an image to the part whose top left is at x, y."""
    options = Crop(form=args.form, x=args.x, y=args.y, width=args.width, height=args.height)
    return image_of(*await documents.write(args.target(), FileJob("images.crop", options)))


class ImageResize(ToImage):
    """How large."""

    width: Pixels | None = None
    height: Pixels | None = None
    fit: Annotated[
        Literal["inside", "cover", "stretch"], Field(description="With both: cover cuts off what is over.")
    ] = "inside"

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.width is None and self.height is None:
            raise ValueError("give width, height or both")
        return self


@tool("image_resize", family="images", effect=RECORDED, timeout_s=60)
async def image_resize(args: ImageResize, documents: FileDocuments) -> WrittenImage:
    """Resize an image. With width or height alone, or inside both, it keeps its proportions."""
    options = Resize(form=args.form, width=args.width, height=args.height, fit=args.fit)
    return image_of(*await documents.write(args.target(), FileJob("images.resize", options)))
