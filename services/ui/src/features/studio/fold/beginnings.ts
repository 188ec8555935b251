/** What a new thing of each kind begins with. */
import type { ListSection } from "./sections";

const NO_ARGUMENTS = { type: "object", properties: {}, additionalProperties: false };

export const BEGINNINGS: Record<ListSection, unknown> = {
  tools: { description: "", code: "return { hello: 'world' }\n", parameter_schema: NO_ARGUMENTS },
  functions: { description: "", code: "return { hello: 'world' }\n", parameter_schema: NO_ARGUMENTS },
  libraries: { description: "", code: "exports.double = (n) => 2 * n\n" },
  components: {
    description: "",
    code: "export default function Page() {\n  return <Card>Hello</Card>;\n}\n",
  },
  skills: { description: "", tags: [], content: "" },
  playbooks: {
    description: "",
    workflow: [{ step_id: "1", description: "", tool_name: "", purpose: "", required_data: [] }],
    initial_command: "",
    success_criteria: "",
  },
  state: null,
  secrets: null,
};
