import { type Kind, TEXT } from "../kind";

export default {
  kind: "notes",
  noun: "learned notes",
  title: "Notes",
  group: "works",
  order: 2,
  only: "agent",
  page: {
    path: "notes",
    form: "text",
    none: "The agent has noted nothing yet.",
    value: "text",
    parts: TEXT,
    versions: true,
  },
} satisfies Kind;
