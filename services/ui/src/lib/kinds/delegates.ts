import type { Kind } from "../kind";

export default {
  kind: "delegates",
  noun: "delegates",
  title: "Delegates",
  group: "works",
  order: 8,
  only: "agent",
  byPeople: true,
  tab: null,
  page: {
    path: "delegates",
    form: "room",
    none: "The agent has nobody to hand work to.",
    value: null,
    parts: [{ id: "delegates", label: "Delegates", language: "json" }],
    versions: true,
    follows: ["setting"],
  },
} satisfies Kind;
