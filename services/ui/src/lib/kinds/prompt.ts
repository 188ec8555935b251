import { type Kind, TEXT } from "../kind";

export default {
  kind: "prompt",
  noun: "system prompt",
  title: "Prompt",
  group: "works",
  order: 1,
  only: "agent",
  page: {
    path: "prompt",
    form: "text",
    none: "It is empty.",
    value: "text",
    parts: TEXT,
    versions: true,
    hint: "The agent can't change what stands between a line <people-only> and a line </people-only>.",
  },
} satisfies Kind;
