import { CODE, type Kind } from "../kind";

export default {
  kind: "library",
  noun: "library",
  title: "Libraries",
  group: "made",
  order: 3,
  page: {
    path: "libraries",
    form: "list",
    none: "No libraries yet. The agent makes one for code that several tools share.",
    listed: true,
    parts: CODE,
    versions: true,
    begins: { description: "", code: "exports.double = (n) => 2 * n\n" },
  },
} satisfies Kind;
