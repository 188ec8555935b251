import type { Kind } from "../kind";

export default {
  kind: "state",
  noun: "stored value",
  title: "State",
  group: "works",
  order: 3,
  page: {
    path: "state",
    form: "list",
    none: "The agent has stored no values yet.",
    listed: true,
    value: "value",
    parts: [{ id: "value", label: "Value", language: "json" }],
    versions: true,
    begins: null,
  },
} satisfies Kind;
