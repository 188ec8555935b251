import type { Kind } from "../kind";

export default {
  kind: "setting",
  noun: "setting",
  title: "Settings",
  group: "works",
  order: 5,
  byPeople: true,
  tab: null,
  page: { path: "settings", form: "room", none: "No settings.", parts: [], versions: true },
} satisfies Kind;
