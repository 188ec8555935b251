import type { Kind } from "../kind";

export default {
  kind: "database",
  noun: "database",
  title: "Database",
  group: "kept",
  order: 2,
  only: "agent",
  page: { path: "database", form: "room", none: "No tables yet.", parts: [], versions: false },
} satisfies Kind;
