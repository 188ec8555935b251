import type { Kind } from "../kind";

export default {
  kind: "skill",
  noun: "skill",
  title: "Skills",
  group: "made",
  order: 5,
  page: {
    path: "skills",
    form: "list",
    none: "No skills yet. The agent writes down here how it does a thing.",
    listed: true,
    parts: [
      { id: "description", label: "Description", language: "line" },
      { id: "tags", label: "Tags", language: "line", list: true },
      { id: "content", label: "Content", language: "text" },
    ],
    versions: true,
    begins: { description: "", tags: [], content: "" },
    switchable: true,
  },
} satisfies Kind;
