import type { Kind } from "../kind";

export default {
  kind: "plan",
  noun: "plan",
  title: "Plan",
  group: null,
  order: 2,
  only: "chat",
  tab: "notes",
} satisfies Kind;
