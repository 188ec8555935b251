"""Write guest.json: what was built, its hashes, of which sources, with which tools. Run by `build`."""

import hashlib
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
BUILT = ("guest.wasm", "typescript.js", "component.js")


def sha256(path: Path) -> str:
    """The hash of a file, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def pinned(name: str) -> dict[str, str]:
    """The package, version and hash of a requirements file."""
    found = re.match(r"([\w-]+)==(\S+) --hash=(\S+)", (HERE / name).read_text())
    assert found
    return {found[1]: f"{found[2]} {found[3]}"}


def main(out: Path, quickjs: Path, zig: Path) -> None:
    """Record the build."""
    packages = json.loads((HERE / "package-lock.json").read_text())["packages"]
    npm = {
        name: f"{packages[f'node_modules/{name}']['version']} {packages[f'node_modules/{name}']['integrity']}"
        for name in (
            "core-js-pure",
            "sucrase",
            "@babel/parser",
            "esbuild",
            "@bytecodealliance/wizer-linux-x64",
        )
    }
    header = (quickjs / "quickjs.h").read_text()
    version = re.findall(r"QJS_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", header)
    ours = sorted(
        [HERE / "box.c", HERE / "wasi.c", HERE / "hash.zig", HERE / "intl.txt", *(HERE / "src").glob("*.js")]
    )
    made = {
        "sha256": {name: sha256(out / name) for name in BUILT},
        "sources": {
            "QuickJS-NG": ".".join(version),
            **pinned("requirements-source.txt"),
            **{name: npm[name] for name in ("core-js-pure", "sucrase", "@babel/parser")},
            **{str(path.relative_to(HERE)): f"sha256:{sha256(path)}" for path in ours},
        },
        "toolchain": {
            **pinned("requirements-toolchain.txt"),
            **{name: npm[name] for name in ("esbuild", "@bytecodealliance/wizer-linux-x64")},
        },
    }
    (out / "guest.json").write_text(json.dumps(made, indent=2) + "\n")
    header = (quickjs / "quickjs.c").read_text().split("*/")[0]
    licences = {
        "QuickJS-NG": re.sub(r"(?m)^(/\*| \*) ?", "", header),
        "Zig (its standard library)": zig.read_text(),
        "Unicode CLDR (its data)": (HERE / "LICENSE.unicode").read_text(),
        "core-js": (HERE / "node_modules/core-js-pure/LICENSE").read_text(),
        "sucrase": (HERE / "node_modules/sucrase/LICENSE").read_text(),
        "@babel/parser": (HERE / "node_modules/@babel/parser/LICENSE").read_text(),
    }
    with (out / "LICENSES.txt").open("w") as file:
        file.write("guest.wasm, typescript.js and component.js contain the following software.\n")
        for name, text in licences.items():
            file.write(f"\n==== {name} ====\n\n{text.strip()}\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
