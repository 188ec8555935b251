"""Jobs that say what a picture is."""

from PIL import ExifTags

from agent_contracts.json_value import Json
from tool_runner.documents.images.opening import broken_refused, opened, seen_through
from tool_runner.documents.images.options import Convert
from tool_runner.documents.jobs import Inputs, JobOutput


def about(inputs: Inputs, options: Convert) -> JobOutput:
    """Its size as it is shown, its `format`, `mode`, number of `frames`."""
    [data] = inputs
    image = opened(data)
    with broken_refused():
        width, height = image.size
        if image.getexif().get(ExifTags.Base.Orientation, 1) in (5, 6, 7, 8):
            width, height = height, width
        frames = getattr(image, "n_frames", 1)
        dots = image.info.get("dpi")
        told: dict[str, Json] = {
            "width": width,
            "height": height,
            "format": image.format or "",
            "mode": image.mode,
            "transparent": seen_through(image),
            "frames": frames,
            "dpi": round(float(dots[0])) if dots else None,
        }
    return JobOutput(told)


JOBS = {"about": about}
