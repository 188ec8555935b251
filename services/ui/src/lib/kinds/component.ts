import { CODE, type Kind } from "../kind";

export default {
  kind: "component",
  noun: "component",
  title: "Components",
  group: "made",
  order: 4,
  page: {
    path: "components",
    form: "list",
    none: "No components yet. The agent makes them to show you pages of its own.",
    listed: true,
    parts: [...CODE, { id: "props_schema", label: "Schema of its props", language: "json", optional: true }],
    versions: true,
    begins: {
      description: "",
      code: "export default function Page() {\n  return <Card>Hello</Card>;\n}\n",
    },
    drawn: true,
  },
} satisfies Kind;
