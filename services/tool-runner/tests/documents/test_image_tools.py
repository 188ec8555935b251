"""The tools for images, as calls: over real files, in real confined processes, read by their bytes."""

import base64
import io
import struct
import zlib
from typing import Any

import pytest
from PIL import Image

from agent_contracts.errors import ErrorKind
from agent_contracts.json_value import Json
from agent_domain.files.file import FileRef
from foldline_testing.tool_runner.documents import HERE, done, ended, got, put
from foldline_testing.tool_runner.world import World


def bytes_of(image: Image.Image, form: str = "PNG", **options: Any) -> bytes:
    made = io.BytesIO()
    image.save(made, form, **options)
    return made.getvalue()


def halves(mode: str = "RGB", size: tuple[int, int] = (40, 20)) -> Image.Image:
    """Red on the left, blue on the right."""
    image = Image.new("RGB", size, "red")
    image.paste("blue", (size[0] // 2, 0, *size))
    return image.convert(mode)


def png_pixels(data: bytes) -> tuple[int, int, int, bytes]:
    """Width, height, colour type and raw rows of a PNG, without any library for pictures."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    place, packed, head = 8, b"", b""
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        content = data[place + 8 : place + 8 + length]
        assert zlib.crc32(kind + content) == struct.unpack(">I", data[place + 8 + length :][:4])[0]
        head, packed = (content if kind == b"IHDR" else head), packed + (content if kind == b"IDAT" else b"")
        place += 12 + length
    width, height, _, color = struct.unpack(">IIBB", head[:10])
    return width, height, color, zlib.decompress(packed)


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


async def test_an_image_says_what_it_is(world: World) -> None:
    await put(world, "a.png", bytes_of(halves(), dpi=(72, 72)))
    told = await done(world, "image_info", path="a.png")
    assert {
        key: told[key] for key in ("width", "height", "format", "mode", "frames", "transparent", "dpi")
    } == {
        "width": 40,
        "height": 20,
        "format": "PNG",
        "mode": "RGB",
        "frames": 1,
        "transparent": False,
        "dpi": 72,
    }


@pytest.mark.parametrize(
    ("asked", "size"),
    [
        ({"width": 20}, (20, 10)),
        ({"height": 5}, (10, 5)),
        ({"width": 20, "height": 20}, (20, 10)),
        ({"width": 10, "height": 10, "fit": "stretch"}, (10, 10)),
        ({"width": 10, "height": 10, "fit": "cover"}, (10, 10)),
    ],
)
async def test_an_image_is_resized_in_its_next_version(
    world: World, asked: dict[str, Json], size: tuple[int, int]
) -> None:
    await put(world, "a.png", bytes_of(halves()))
    made = await done(world, "image_resize", path="a.png", **asked)
    assert (made["width"], made["height"], made["version"]) == (*size, 2)
    assert png_pixels(await got(world, "a.png"))[:2] == size


async def test_a_part_is_cut_out_from_the_top_left(world: World) -> None:
    await put(world, "a.png", bytes_of(halves()))
    await done(world, "image_crop", path="a.png", x=20, y=10, width=20, height=10, output_path="b/right.png")
    width, height, color, rows = png_pixels(await got(world, "b/right.png"))
    assert (width, height, color) == (20, 10, 2)
    assert opened(await got(world, "b/right.png")).getpixel((0, 0)) == (0, 0, 255)
    assert len(rows) == height * (1 + 3 * width)


@pytest.mark.parametrize(
    ("form", "path", "beginning"),
    [
        ("jpeg", "a.jpg", b"\xff\xd8\xff"),
        ("webp", "a.webp", b"RIFF"),
        ("gif", "a.gif", b"GIF89a"),
        ("bmp", "a.bmp", b"BM"),
        ("tiff", "a.tiff", b"II*\0"),
    ],
)
async def test_an_image_is_converted_beside_the_first(
    world: World, form: str, path: str, beginning: bytes
) -> None:
    await put(world, "a.png", bytes_of(halves()))
    assert (await done(world, "image_convert", path="a.png", format=form))["path"] == path
    data = await got(world, path)
    # gif of two colours may be GIF87a
    assert data.startswith(beginning) or data.startswith(b"GIF87a")
    assert opened(data).size == (40, 20)
    assert (await world.files.find(HERE, FileRef(path=path))).made_from is not None


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P", "CMYK", "1", "I;16", "F", "L"])
@pytest.mark.parametrize("form", ["jpeg", "png", "webp", "gif"])
async def test_every_kind_of_pixels_becomes_every_format(world: World, mode: str, form: str) -> None:
    image = halves("L").convert(mode) if mode in ("I;16", "F") else halves(mode)
    if mode == "RGBA":
        image.paste((0, 0, 0, 0), (0, 0, 16, 16))
    written = "TIFF" if mode in ("CMYK", "F", "I;16") else "PNG"
    await put(world, "in.tiff" if written == "TIFF" else "in.bin", bytes_of(image, written))
    name = "in.tiff" if written == "TIFF" else "in.bin"
    await done(world, "image_convert", path=name, format=form, output_path=f"out.{form}", background="00FF00")
    out = opened(await got(world, f"out.{form}"))
    assert out.size == (40, 20)
    if mode == "RGBA" and form == "jpeg":
        red, green, blue = out.convert("RGB").getpixel((0, 0))  # type: ignore[misc]
        assert green > red
        assert green > blue


async def test_a_photo_that_lies_on_its_side_is_turned_and_says_nothing_of_its_camera(world: World) -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = 6, "Camera"
    await put(world, "p.jpg", bytes_of(halves(), "JPEG", exif=exif.tobytes()))
    told = await done(world, "image_info", path="p.jpg")
    assert (told["width"], told["height"]) == (20, 40)
    await done(world, "image_resize", path="p.jpg", width=10)
    data = await got(world, "p.jpg")
    assert opened(data).size == (10, 20)
    assert b"Exif" not in data
    assert b"Camera" not in data


async def test_an_animation_goes_on_moving(world: World) -> None:
    frames = [halves(), halves().rotate(180), Image.new("RGB", (40, 20), "green")]
    moving = bytes_of(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=50, loop=0)
    await put(world, "m.gif", moving)
    assert (await done(world, "image_info", path="m.gif"))["frames"] == 3
    await done(world, "image_resize", path="m.gif", width=20)
    made = opened(await got(world, "m.gif"))
    assert (made.size, getattr(made, "n_frames", 1), made.info["duration"]) == ((20, 10), 3, 50)
    await done(world, "image_convert", path="m.gif", format="jpeg")
    assert opened(await got(world, "m.jpg")).size == (20, 10)


async def test_one_image_is_put_on_another(world: World) -> None:
    await put(world, "a.png", bytes_of(halves()))
    logo = await put(world, "logo.png", bytes_of(Image.new("RGBA", (10, 10), (0, 255, 0, 255))))
    await done(world, "image_composite", path="a.png", overlay=logo.file_id, x=35, y=-5, opacity=0.5)
    made = opened(await got(world, "a.png"))
    assert (made.size, made.mode) == ((40, 20), "RGB")
    assert made.getpixel((36, 2)) in ((0, 127, 128), (0, 128, 127))
    assert made.getpixel((0, 0)) == (255, 0, 0)


async def test_an_image_comes_as_base64_and_a_large_one_as_a_blob(world: World) -> None:
    small = bytes_of(halves())
    await put(world, "a.png", small)
    told = await done(world, "image_to_base64", path="a.png")
    assert (base64.b64decode(told["base64"]), told["media_type"]) == (small, "image/png")
    noise = Image.effect_noise((700, 700), 90)
    await put(world, "n.png", bytes_of(noise))
    over = await ended(world, "image_to_base64", path="n.png")
    assert over.result is None
    assert over.excerpt.blob.size > 256 * 1024


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "path"),
    [
        ("crop", {"x": 30, "y": 0, "width": 20, "height": 5}, ErrorKind.INVALID_ARGUMENTS, "/x"),
        ("crop", {"x": 0, "y": 0, "width": 20, "height": 21}, ErrorKind.INVALID_ARGUMENTS, "/y"),
        ("crop", {"x": -1, "y": 0, "width": 2, "height": 2}, ErrorKind.INVALID_ARGUMENTS, "/x"),
        ("resize", {}, ErrorKind.INVALID_ARGUMENTS, None),
        ("resize", {"width": 40_000}, ErrorKind.TOO_LARGE, "/width"),
        ("resize", {"width": 5, "version": 9}, ErrorKind.CONFLICT, "/version"),
        ("resize", {"width": 5, "output_path": "x.svg"}, ErrorKind.INVALID_ARGUMENTS, None),
        ("resize", {"width": 5, "output_path": "a.png"}, ErrorKind.CONFLICT, "/output_path"),
        ("convert", {"format": "exe"}, ErrorKind.INVALID_ARGUMENTS, "/format"),
        ("composite", {"overlay": "no.png"}, ErrorKind.NOT_FOUND, "/overlay"),
        ("composite", {"overlay": "a.png", "x": 400}, ErrorKind.INVALID_ARGUMENTS, "/x"),
    ],
)
async def test_each_refusal_has_its_kind_and_changes_nothing(
    world: World, tool: str, arguments: dict[str, Json], kind: ErrorKind, path: str | None
) -> None:
    await put(world, "a.png", bytes_of(halves()))
    before = await got(world, "a.png")
    error = (await ended(world, f"image_{tool}", path="a.png", **arguments)).error
    assert (error.kind, error.path) == (kind, path)
    assert await got(world, "a.png") == before
