/** The kinds of things that an agent has, as the studio shows them. */

/** As the gateway's addresses name them. */
export const SECTIONS = [
  "tools",
  "functions",
  "libraries",
  "components",
  "skills",
  "playbooks",
  "prompt",
  "notes",
  "state",
  "secrets",
] as const;

export type Section = (typeof SECTIONS)[number];

/** Pages of the studio that are no list and no text. */
export const ROOMS = {
  files: "Files",
  database: "Database",
  schedules: "Schedules",
  settings: "Settings",
  policy: "Policy",
  packs: "Packs",
  delegates: "Delegates",
  mcp: "MCP servers",
  agents: "Agents",
  changes: "What changed",
  egress: "What left",
  commands: "What ran",
  outcomes: "Unknown outcomes",
  letters: "Dead letters",
  runners: "Runners",
} as const;
export type Room = keyof typeof ROOMS;

/** What the studio has a page of. */
export type Shelf = Section | Room;
export const SHELVES: readonly Shelf[] = [
  ...SECTIONS.slice(0, 6),
  "files",
  "database",
  "schedules",
  ...SECTIONS.slice(6),
  "settings",
  "policy",
  "packs",
  "delegates",
  "mcp",
  "changes",
  "egress",
  "commands",
  "outcomes",
  "agents",
  "letters",
  "runners",
];

/** What the shelves from here on are about. */
export const HEADS: Partial<Record<Shelf, string>> = {
  tools: "What it made",
  files: "What it keeps",
  prompt: "How it works",
  changes: "What it did",
  agents: "This Foldline",
};

/** True for what is one of the lists and texts, and no room of its own. */
export function isSection(shelf: Shelf): shelf is Section {
  return !(shelf in ROOMS);
}

/** Those of which an agent has one text, and not several by name. */
export type TextSection = "prompt" | "notes";
export type ListSection = Exclude<Section, TextSection>;

export interface About {
  title: string;
  /** What a person calls one. */
  noun: string;
  /** The kind in the log's events. */
  kind: string;
  /** What stands where there is none. */
  none: string;
  switchable: boolean;
}

export const ABOUT: Record<Section, About> = {
  tools: {
    title: "Tools",
    noun: "tool",
    kind: "tool",
    none: "The agent has made no tools yet. Ask it to make one for something it does often.",
    switchable: true,
  },
  functions: {
    title: "Functions",
    noun: "function",
    kind: "function",
    none: "No functions yet. The agent makes them for its pages, and for its own code to call.",
    switchable: true,
  },
  libraries: {
    title: "Libraries",
    noun: "library",
    kind: "library",
    none: "No libraries yet. The agent makes one for code that several tools share.",
    switchable: false,
  },
  components: {
    title: "Components",
    noun: "component",
    kind: "component",
    none: "No components yet. The agent makes them to show you pages of its own.",
    switchable: false,
  },
  skills: {
    title: "Skills",
    noun: "skill",
    kind: "skill",
    none: "No skills yet. The agent writes down here how it does a thing.",
    switchable: true,
  },
  playbooks: {
    title: "Playbooks",
    noun: "playbook",
    kind: "playbook",
    none: "No playbooks yet. With LibrAgent's pack, the agent writes down here the steps that reached a goal.",
    switchable: false,
  },
  prompt: { title: "Prompt", noun: "system prompt", kind: "prompt", none: "It is empty.", switchable: false },
  notes: {
    title: "Notes",
    noun: "learned notes",
    kind: "notes",
    none: "The agent has noted nothing yet.",
    switchable: false,
  },
  state: {
    title: "State",
    noun: "value",
    kind: "state",
    none: "The agent has stored no values yet.",
    switchable: false,
  },
  secrets: {
    title: "Secrets",
    noun: "secret",
    kind: "secret",
    none: "No secrets yet. The agent can use a secret by its name, but it never sees the value.",
    switchable: false,
  },
};

export const LISTS = SECTIONS.filter((one): one is ListSection => !isText(one));

export function isText(section: Section): section is TextSection {
  return section === "prompt" || section === "notes";
}

/** The shelf of this name; the first one for any other. */
export function shelfNamed(name: string | null): Shelf {
  return SHELVES.find((one) => one === name) ?? SECTIONS[0];
}

export function titleOfShelf(shelf: Shelf): string {
  if (isSection(shelf)) return ABOUT[shelf].title;
  return ROOMS[shelf];
}

/** The section of a kind of the log's events; null for kinds that the studio doesn't show. */
export function sectionOf(kind: string): Section | null {
  return SECTIONS.find((one) => ABOUT[one].kind === kind) ?? null;
}
