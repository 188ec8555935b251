import { expect, test } from "vitest";
import { message, page, session, toolCall } from "../../../testing/given";
import { filesOf, madeIn } from "./made";
import { opened } from "./page";
import { transcript } from "./transcript";

const FILE = { file_id: "f_1", path: "out/report.pdf", media_type: "application/pdf", size: 12, version: 1 };
const made = (change: object = {}, effect: "pure" | "recorded" = "recorded") =>
  toolCall({ status: "completed", effect, result: { ...FILE, ...change } });

test("a call's file is its result, or stands in it", () => {
  expect(filesOf(made())).toMatchObject([FILE]);
  expect(filesOf(toolCall({ status: "completed", effect: "recorded", result: { file: FILE } }))).toEqual([
    FILE,
  ]);
  const list = toolCall({ status: "completed", effect: "external", result: { files: [FILE, "x", null] } });
  expect(filesOf(list)).toEqual([FILE]);
  const downloads = { ok: true, downloads: [FILE, { name: "b", url: "u", problem: "it is too large" }] };
  expect(filesOf(toolCall({ status: "completed", effect: "external", result: downloads }))).toEqual([FILE]);
});

test("a file that is handed over keeps what is said of it", () => {
  const [file] = filesOf(made({ display_name: "Report", description: "Figures of May" }));
  expect(file).toEqual({ ...FILE, title: "Report", about: "Figures of May" });
  expect(filesOf(made({ display_name: "", description: 5 }))).toEqual([FILE]);
});

test("a picture is known by its path", () => {
  const types = ["a/b.JPG", "b.png", "c.svg", "d"].map(
    (path) => filesOf(made({ path, media_type: undefined }))[0]?.media_type,
  );
  const bytes = "application/octet-stream";
  expect(types).toEqual(["image/jpeg", "image/png", bytes, bytes]);
});

test("a call that reads, failed, or tells no file makes none", () => {
  expect(filesOf(made({}, "pure"))).toEqual([]);
  expect(filesOf({ ...made(), status: "failed" })).toEqual([]);
  expect(filesOf(made({ size: "12" }))).toEqual([]);
  expect(filesOf(toolCall({ status: "completed", effect: "recorded", result: "f_1" }))).toEqual([]);
});

test("of a file written several times in a turn the last version is shown, once", () => {
  const shown = madeIn([
    { key: "a", call: made() },
    { key: "b", call: made({ file_id: "f_2", path: "x.txt" }) },
    { key: "c", call: made({ version: 2 }) },
  ]);
  expect([...shown].map(([key, files]) => [key, files.map(({ version }) => version)])).toEqual([
    ["c", [2]],
    ["b", [1]],
  ]);
});

test("each turn shows what it made beneath its call", () => {
  const view = opened(
    session(),
    page([
      message(2, "user", "Make it"),
      message(3, "assistant", "", [made()]),
      message(4, "user", "Again"),
      message(5, "assistant", "Done.", [{ ...made({ version: 2 }), call_id: "m2-00" }]),
    ]),
  );
  const items = transcript(view, []);
  expect(items.map(({ kind }) => kind)).toEqual([
    ...["day", "user", "tool", "files"],
    ...["user", "assistant", "tool", "files"],
  ]);
});
