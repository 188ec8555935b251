import type { Kind } from "../kind";

export default {
  kind: "notepad",
  noun: "notepad",
  title: "Notepad",
  group: null,
  order: 1,
  only: "chat",
  tab: "notes",
} satisfies Kind;
