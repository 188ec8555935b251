"""Pictures that somebody made: what keeps one from being opened, and how one is written."""

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import PIL.Image
from PIL import ImageOps, ImageSequence
from PIL.Image import Image

from agent_contracts.errors import ErrorKind, Rejected
from tool_runner.documents.images.options import Form, SaveOptions

MOST_PIXELS = 50_000_000
"""Of a picture, and of all frames of one that moves."""
MOST_FRAMES = 1_000
READ = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "ICO", "PPM", "AVIF")
_WRITTEN: dict[str, Form] = {
    "PNG": "png",
    "JPEG": "jpeg",
    "MPO": "jpeg",
    "GIF": "gif",
    "WEBP": "webp",
    "BMP": "bmp",
    "TIFF": "tiff",
}
_MOVING = ("gif", "webp", "png")
_MODES = {
    "png": ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"),
    "jpeg": ("L", "RGB"),
    "webp": ("RGB", "RGBA"),
    "gif": ("1", "L", "P", "RGB", "RGBA"),
    "bmp": ("1", "L", "P", "RGB"),
    "tiff": ("1", "L", "LA", "P", "RGB", "RGBA", "I;16", "CMYK"),
}
_SEEN_THROUGH = ("RGBA", "LA", "PA", "La", "RGBa")
_NO_MEMORY = ("encoding error 1", "encoding error 2", "quantization error")
"""What Pillow says where libwebp or its own search for colours got no memory."""
_SVG = re.compile(rb"<(?:\w+:)?svg[\s>]")
_LOOKED_AT = 4_096


class _Unopened(io.BytesIO):
    """Has a name that Pillow need not look for: it compares the names of what it reads and writes, and asks
    for the working directory otherwise, which a confined process must not."""

    name = "/made"


@contextmanager
def broken_refused(noun: str = "the picture") -> Iterator[None]:
    """`Rejected` for all that Pillow raises over pictures that are not as they should be."""
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    except PIL.Image.DecompressionBombError as error:
        raise Rejected(f"{noun} unpacks to too much: {error}", kind=ErrorKind.TOO_LARGE) from error
    except PIL.UnidentifiedImageError as error:
        raise Rejected(f"{noun} is not a picture that can be read ({', '.join(READ)} can be)") from error
    except (OSError, ValueError) as error:
        if str(error) in _NO_MEMORY:
            raise MemoryError from error
        raise Rejected(f"{noun} is broken: {error}"[:400]) from error
    except (SyntaxError, LookupError, TypeError, ArithmeticError) as error:
        raise Rejected(f"{noun} is broken: {error}"[:400]) from error


def opened(data: bytes, noun: str = "the picture") -> Image:
    """The picture, by its head. `Rejected` for what is none, `too_large` for more pixels than the limit."""
    if _SVG.search(data[:_LOOKED_AT]):
        raise Rejected(f"{noun} is an SVG: a drawing without pixels, which the tools for images can't read")
    PIL.Image.MAX_IMAGE_PIXELS = None  # the limit here is ours
    with broken_refused(noun):
        image = PIL.Image.open(io.BytesIO(data), formats=READ)
    image.filename = "/read"  # see `_Unopened`
    width, height = image.size
    if width * height > MOST_PIXELS:
        message = f"{noun} has {width} × {height} pixels; at most {MOST_PIXELS // 10**6} megapixels are read"
        raise Rejected(message, kind=ErrorKind.TOO_LARGE)
    return image


def upright(image: Image) -> Image:
    """The picture as it is shown, of which a camera may have noted that it lies on its side."""
    ImageOps.exif_transpose(image, in_place=True)  # a copy would take as much memory again
    return image


def form_of(image: Image, asked: Form | None) -> Form:
    """In which form it is to be written. `Rejected` where that is not known and its own can't be written."""
    form = asked or _WRITTEN.get(image.format or "")
    if form is None:
        raise Rejected(f"{image.format} can't be written: give an output_path that ends in .png or .jpg")
    return form


def seen_through(image: Image) -> bool:
    """Whether it has parts that can be seen through."""
    return image.mode in _SEEN_THROUGH or "transparency" in image.info


def changed(
    image: Image, saved: SaveOptions, change: Callable[[Image], Image]
) -> tuple[bytes, tuple[int, int]]:
    """The picture after the change, upright and without what a camera noted, and its size.

    One that moves does so afterwards where the form can; of others, the first frame is left.
    """
    form = form_of(image, saved.form)
    with broken_refused():
        count = (
            getattr(image, "n_frames", 1) if form in _MOVING and image.format in ("GIF", "WEBP", "PNG") else 1
        )
        if count > MOST_FRAMES or count * image.width * image.height > MOST_PIXELS:
            why = f"the picture moves in {count} frames of {image.width} × {image.height} pixels"
            raise Rejected(f"{why}, which is too much at once", kind=ErrorKind.TOO_LARGE)
        if count == 1:
            return _written([_fitting(change(upright(image)), form, saved)], form, saved, {})
        frames, durations = [], []
        for frame in ImageSequence.Iterator(image):
            durations.append(frame.info.get("duration", 100))
            frames.append(_fitting(change(frame.convert("RGBA")), form, saved))
        moving = {"save_all": True, "duration": durations, "loop": image.info.get("loop", 1)}
        if form == "gif":
            moving["disposal"] = 2
        return _written(frames, form, saved, moving)


def _fitting(image: Image, form: Form, saved: SaveOptions) -> Image:
    """In a mode that the form has."""
    if image.mode in _MODES[form] and not (form in ("jpeg", "bmp") and seen_through(image)):
        return image
    if seen_through(image):
        image = image if image.mode == "RGBA" else image.convert("RGBA")
        if "RGBA" in _MODES[form]:
            return image
        behind = PIL.Image.new("RGB", image.size, f"#{saved.background}")
        behind.paste(image, mask=image.getchannel("A"))
        return behind
    if image.mode.startswith(("I", "F")):
        return _eight_bits(image)
    return image.convert("RGB")


def _eight_bits(image: Image) -> Image:
    """Of one with more bits a pixel: its darkest is black, its brightest white."""
    whole = image.convert("F")
    least, most = whole.getextrema()
    assert isinstance(least, float) and isinstance(most, float)  # noqa: PT018 — one band
    scale = 255 / (most - least) if most > least else 1.0
    return whole.point(lambda value: value * scale - least * scale).convert("L").convert("RGB")


def _written(
    frames: list[Image], form: Form, saved: SaveOptions, moving: dict[str, object]
) -> tuple[bytes, tuple[int, int]]:
    first = frames[0]
    options: dict[str, object] = dict(moving)
    if moving:
        options["append_images"] = frames[1:]
    if form in ("jpeg", "webp"):
        options["quality"] = saved.quality
    profile = first.info.get("icc_profile")
    if form in ("png", "jpeg", "webp", "tiff") and first.mode in ("RGB", "RGBA") and profile:
        options["icc_profile"] = profile
    first.info = {key: value for key, value in first.info.items() if key in ("transparency", "background")}
    made = _Unopened()
    first.save(made, form.upper(), **options)
    return made.getvalue(), first.size
