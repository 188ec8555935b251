import { CALLED, CALLED_BEGINS, type Kind } from "../kind";

export default {
  kind: "function",
  noun: "function",
  title: "Functions",
  group: "made",
  order: 2,
  page: {
    path: "functions",
    form: "list",
    none: "No functions yet. The agent makes them for its pages, and for its own code to call.",
    listed: true,
    parts: CALLED,
    versions: true,
    begins: CALLED_BEGINS,
    switchable: true,
    runnable: true,
  },
} satisfies Kind;
