import type { Kind } from "../kind";

export default {
  kind: "reminder",
  noun: "reminder",
  title: "Reminders",
  group: "kept",
  order: 4,
  named: "message",
  passed: "Its time has passed: it comes back as missed, and nobody is reminded now.",
} satisfies Kind;
