"""Jobs that change pictures. Each gives the new `width` and `height`."""

from collections.abc import Callable

from PIL import ImageOps
from PIL.Image import Image, Resampling

from agent_contracts.errors import ErrorKind, Rejected
from tool_runner.documents.images.opening import (
    MOST_PIXELS,
    broken_refused,
    changed,
    opened,
    seen_through,
    upright,
)
from tool_runner.documents.images.options import Composite, Convert, Crop, Resize, SaveOptions
from tool_runner.documents.jobs import Inputs, JobOutput

_SAMPLED = Resampling.LANCZOS


def resize(inputs: Inputs, options: Resize) -> JobOutput:
    """The picture in another size."""
    [data] = inputs

    def change(image: Image) -> Image:
        size = _size(image, options)
        smooth = (
            image.convert("RGBA" if "transparency" in image.info else "RGB") if image.mode in "1P" else image
        )
        if options.fit == "cover" and options.width is not None and options.height is not None:
            return ImageOps.fit(smooth, size, _SAMPLED)
        return smooth.resize(size, _SAMPLED)

    return _made(data, options, change)


def crop(inputs: Inputs, options: Crop) -> JobOutput:
    """A part of the picture. `Rejected(kind="invalid_arguments")` for one that is not within it."""
    [data] = inputs

    def change(image: Image) -> Image:
        right, bottom = options.x + options.width, options.y + options.height
        if right > image.width or bottom > image.height:
            where = "/x" if right > image.width else "/y"
            raise _invalid(
                f"the part from {options.x}, {options.y} to {right}, {bottom} is outside of the picture, "
                f"which has {image.width} × {image.height} pixels",
                where,
            )
        return image.crop((options.x, options.y, right, bottom))

    return _made(data, options, change)


def convert(inputs: Inputs, options: Convert) -> JobOutput:
    """The picture in another form."""
    [data] = inputs
    return _made(data, options, lambda image: image)


def composite(inputs: Inputs, options: Composite) -> JobOutput:
    """The second picture on the first. What is outside of the first is cut off."""
    data, over = inputs
    above = opened(over, "the overlay")
    with broken_refused("the overlay"):
        top = upright(above).convert("RGBA")
        if options.width is not None or options.height is not None:
            size = Resize(width=options.width, height=options.height, fit="stretch")
            top = top.resize(_size(top, size), _SAMPLED)
        if options.opacity < 1:
            top.putalpha(top.getchannel("A").point(lambda value: value * options.opacity))

    def change(image: Image) -> Image:
        if not (-top.width < options.x < image.width and -top.height < options.y < image.height):
            where = "/y" if -top.width < options.x < image.width else "/x"
            raise _invalid(
                f"an overlay of {top.width} × {top.height} pixels at {options.x}, {options.y} is outside of "
                f"the picture, which has {image.width} × {image.height} pixels",
                where,
            )
        if not seen_through(image):
            below = image if image.mode == "RGB" else image.convert("RGB")
            below.paste(top, (options.x, options.y), top)
            return below
        below = image if image.mode == "RGBA" else image.convert("RGBA")
        hidden = (max(0, -options.x), max(0, -options.y))
        below.alpha_composite(top, (max(0, options.x), max(0, options.y)), hidden)
        return below

    return _made(data, options, change)


def _made(data: bytes, saved: SaveOptions, change: Callable[[Image], Image]) -> JobOutput:
    made, (width, height) = changed(opened(data), saved, change)
    return JobOutput({"width": width, "height": height}, (made,))


def _size(image: Image, asked: Resize) -> tuple[int, int]:
    width, height = asked.width, asked.height
    if width is None and height is None:
        raise _invalid("give width, height or both", "/width")
    ratio = image.width / image.height
    if width is not None and height is not None and asked.fit == "inside":
        if width / height > ratio:
            width = None
        else:
            height = None
    if width is None:
        width = max(1, round((height or 1) * ratio))
    if height is None:
        height = max(1, round(width / ratio))
    if width * height > MOST_PIXELS:
        why = f"it would have {width} × {height} pixels; at most {MOST_PIXELS // 10**6} megapixels are made"
        raise Rejected(why, kind=ErrorKind.TOO_LARGE, path="/width")
    return width, height


def _invalid(why: str, path: str) -> Rejected:
    return Rejected(why, kind=ErrorKind.INVALID_ARGUMENTS, path=path)


JOBS = {"resize": resize, "crop": crop, "convert": convert, "composite": composite}
