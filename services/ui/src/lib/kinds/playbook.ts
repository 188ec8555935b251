import type { Kind } from "../kind";

export default {
  kind: "playbook",
  noun: "playbook",
  title: "Playbooks",
  group: "made",
  order: 6,
  named: "description",
  page: {
    path: "playbooks",
    form: "list",
    none: "No playbooks yet. With LibrAgent's pack, the agent writes down here the steps that reached a goal.",
    listed: true,
    parts: [
      { id: "description", label: "Goal", language: "line" },
      { id: "workflow", label: "Steps", language: "json" },
      { id: "initial_command", label: "What begins it", language: "line" },
      { id: "success_criteria", label: "How one sees that it worked", language: "line" },
    ],
    versions: true,
    begins: {
      description: "",
      workflow: [{ step_id: "1", description: "", tool_name: "", purpose: "", required_data: [] }],
      initial_command: "",
      success_criteria: "",
    },
  },
} satisfies Kind;
