"""Which pictures a model is shown, and what it is told of the others."""

import io

import msgspec
import pytest
from PIL import Image

from agent_contracts.model_context import PictureRule
from agent_contracts.pictures import Picture
from session_domain.model_requests.picture_size import picture_size
from session_domain.model_requests.pictures import TODAY, decide

RULE = PictureRule(most=4, at_once=2, largest=100, longest=50, together=1_000)


def picture(blob: str, size: int = 10) -> Picture:
    return Picture(blob, "image/png", size, f"{blob}.png")


@pytest.mark.parametrize("form", ["PNG", "GIF", "JPEG", "WEBP"])
@pytest.mark.parametrize("size", [(1, 1), (640, 480), (3, 700)])
def test_a_pictures_size_is_read_from_its_first_bytes(form: str, size: tuple[int, int]) -> None:
    out = io.BytesIO()
    Image.new("RGB", size, "red").save(out, form)
    data = out.getvalue()
    assert picture_size(data) == size
    for cut in range(min(len(data), 40)):
        assert picture_size(data[:cut]) in (None, size)


def test_webps_of_each_kind_and_a_jpeg_with_metadata_are_measured() -> None:
    image = Image.new("RGBA", (33, 21), (1, 2, 3, 4))
    for options in ({"lossless": True}, {"quality": 50}, {"exif": b"Exif\0\0x" * 9}):
        out = io.BytesIO()
        image.save(out, "WEBP", **options)
        assert picture_size(out.getvalue()) == (33, 21)
    out = io.BytesIO()
    Image.new("RGB", (33, 21)).save(out, "JPEG", progressive=True, exif=b"Exif\0\0" + b"x" * 5000)
    assert picture_size(out.getvalue()) == (33, 21)


@pytest.mark.parametrize(
    "data", [b"", b"%PDF-1.7", b"\xff\xd8\xff", b"\xff\xd8" + b"\xff" * 99, b"RIFF1234WEBPVP8X"]
)
def test_what_is_no_picture_has_no_size(data: bytes) -> None:
    assert picture_size(data) is None


@pytest.mark.parametrize(("how_many", "earlier"), [(1, 0), (4, 0), (5, 2), (6, 2), (7, 4), (8, 4), (9, 6)])
def test_the_latest_are_shown_and_the_others_go_several_at_once(how_many: int, earlier: int) -> None:
    found = [picture(str(number)) for number in range(how_many)]
    fates = decide(found, dict.fromkeys((one.blob for one in found), (9, 9)), RULE)
    assert fates == ["picture_earlier"] * earlier + [None] * (how_many - earlier)


def test_each_one_that_is_not_shown_has_its_reason() -> None:
    found = [picture("large", 101), picture("wide"), picture("gone"), picture("broken"), picture("fine")]
    sizes = {"wide": (51, 1), "broken": None, "fine": (50, 50)}
    assert decide(found, sizes, RULE) == [
        "picture_too_large",
        "picture_too_large",
        "picture_gone",
        "picture_gone",
        None,
    ]
    assert set(decide(found, sizes, None)) == {"picture_unseen"}


def test_together_they_fit_into_a_request() -> None:
    rule = msgspec.structs.replace(RULE, most=9, together=250)
    found = [picture(str(number), 90) for number in range(5)]
    fates = decide(found, dict.fromkeys("01234", (9, 9)), rule)
    assert fates == ["picture_earlier"] * 4 + [None]
    assert TODAY.most * TODAY.largest > TODAY.together > TODAY.largest
