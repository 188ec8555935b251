import type { Kind } from "../kind";

export default {
  kind: "policy",
  noun: "policy",
  title: "Policy",
  group: "works",
  order: 6,
  only: "agent",
  byPeople: true,
  tab: null,
  page: {
    path: "policy",
    form: "room",
    none: "No changes yet: the Balanced preset applies.",
    value: null,
    parts: [
      { id: "preset", label: "Preset", language: "line" },
      { id: "rules", label: "Rules", language: "json", sparse: true },
    ],
    versions: true,
  },
} satisfies Kind;
