import type { Kind } from "../kind";

export default {
  kind: "file",
  noun: "file",
  title: "Files",
  group: "kept",
  order: 1,
  named: null,
  page: { path: "files", form: "room", none: "No files yet.", value: null, parts: [], versions: true },
} satisfies Kind;
