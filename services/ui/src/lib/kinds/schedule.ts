import type { Kind } from "../kind";

export default {
  kind: "schedule",
  noun: "scheduled task",
  title: "Schedules",
  group: "kept",
  order: 3,
  named: "name",
  passed: "Its time has passed: it comes back paused, and does not run now.",
  page: {
    path: "schedules",
    form: "room",
    none: "No tasks yet. Ask the agent for something each morning, or make one here.",
    value: null,
    parts: [
      { id: "name", label: "Name", language: "line" },
      { id: "task", label: "Task", language: "text" },
      { id: "cron", label: "When (cron)", language: "line" },
      { id: "at", label: "When", language: "line" },
      { id: "timezone", label: "Timezone", language: "line" },
      { id: "model", label: "Model", language: "line" },
      { id: "token_limit", label: "Tokens each time, at most", language: "line" },
      { id: "misfire", label: "When Foldline was down at its time", language: "line" },
      { id: "overlap", label: "While the run before it still works", language: "line" },
    ],
    versions: true,
    follows: ["reminder", "run", "setting"],
  },
} satisfies Kind;
