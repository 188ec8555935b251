import type { Kind } from "../kind";

export default {
  kind: "secret",
  noun: "secret",
  title: "Secrets",
  group: "works",
  order: 4,
  byPeople: true,
  tab: null,
  page: {
    path: "secrets",
    form: "room",
    none: "No secrets yet. The agent can use a secret by its name, but it never sees the value.",
    also: [
      "tokens",
      "programs",
      "access",
      "chat channels",
      "pairing",
      "people",
      "logins",
      "wake credentials",
    ],
    listed: true,
    parts: [],
    versions: false,
  },
} satisfies Kind;
