import { CALLED, CALLED_BEGINS, type Kind } from "../kind";

export default {
  kind: "tool",
  noun: "tool",
  title: "Tools",
  group: "made",
  order: 1,
  page: {
    path: "tools",
    form: "list",
    none: "The agent has made no tools yet. Ask it to make one for something it does often.",
    listed: true,
    parts: CALLED,
    versions: true,
    begins: CALLED_BEGINS,
    switchable: true,
    runnable: true,
    pinned: true,
  },
} satisfies Kind;
