"""What Pillow loads when it is first used, used once."""

import io

import PIL.Image

from tool_runner.documents.images.about import about
from tool_runner.documents.images.changing import composite, convert, resize
from tool_runner.documents.images.options import ENDINGS, Composite, Convert, Resize


def warm_up() -> None:
    """See `jobs`."""
    PIL.Image.init()
    made = io.BytesIO()
    PIL.Image.new("RGBA", (8, 8), "#336699").save(made, "PNG")
    first = made.getvalue()
    for form in set(ENDINGS.values()):
        [other] = convert((first,), Convert(form=form)).outputs
        about((other,), Convert())
        resize((other,), Resize(width=4))
    composite((first, first), Composite(opacity=0.5))
    for other_form in ("AVIF", "ICO", "PPM"):
        made = io.BytesIO()
        PIL.Image.new("RGB", (16, 16)).save(made, other_form)
        convert((made.getvalue(),), Convert(form="png"))
