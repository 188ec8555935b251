"""Pictures that are put onto pages."""

import io

import PIL.Image
import PIL.ImageOps
from reportlab.lib.utils import ImageReader

from agent_contracts.errors import ErrorKind, Rejected

MOST_PIXELS = 50_000_000
LARGEST_SIDE = 4_096
"""Pixels that are kept of one that isn't a JPEG."""
_ORIENTATION = 0x0112
"""The EXIF tag that says how a camera was held."""


def to_draw(data: bytes, where: str) -> ImageReader:
    """A picture for reportlab, upright; a JPEG stays as it is. `Rejected` for what is none; `where` is the
    path of the argument."""
    try:
        picture = PIL.Image.open(io.BytesIO(data))
        width, height = picture.size
        if width * height > MOST_PIXELS:
            raise Rejected(
                f"the picture has {width} × {height} pixels; at most {MOST_PIXELS:,} are drawn",
                kind=ErrorKind.TOO_LARGE,
                path=where,
            )
        is_upright = picture.getexif().get(_ORIENTATION, 1) == 1
        if picture.format == "JPEG" and is_upright and picture.mode in ("RGB", "L"):
            picture.load()
            return ImageReader(io.BytesIO(data))
        wanted = "RGBA" if _has_holes(picture) else "RGB"
        picture.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
        PIL.ImageOps.exif_transpose(picture, in_place=True)
        return ImageReader(picture.convert(wanted))
    except (OSError, ValueError, SyntaxError, PIL.Image.DecompressionBombError) as error:
        raise Rejected(
            f"the picture can't be read: {error}"[:300], kind=ErrorKind.INVALID_ARGUMENTS, path=where
        ) from error


def _has_holes(picture: PIL.Image.Image) -> bool:
    return picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info
