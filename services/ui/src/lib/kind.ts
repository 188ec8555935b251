/** What the UI knows of a kind of things that an agent has. Each kind says it in one file of its own, in `kinds`. */

export type Language = "javascript" | "json" | "text";

/** A text of a thing's value: it is read, compared and edited apart from the others. */
export interface KindPart {
  id: string;
  label: string;
  /** `line`: a text of a few lines at most, shown without an editor. */
  language: Language | "line";
  /** Left out where it is empty. */
  optional?: true;
  /** JSON that is read without the members that are null. */
  sparse?: true;
  /** Several words with commas between them. */
  list?: true;
}

/** Where people look for it: among what the agent made, what it keeps, or how it works. */
export type Group = "made" | "kept" | "works";

export interface Kind {
  /** As events, rows and requests name it. */
  kind: string;
  /** What people call one. */
  noun: string;
  /** Several of them, as a heading. */
  title: string;
  group: Group | null;
  /** Its place in the group. */
  order: number;
  /** There is one: of each agent, or of each chat. */
  only?: "agent" | "chat";
  /** Its things are named by an id. This member of the value says what one is; null: the row's label does. */
  named?: string | null;
  /** What becomes of one that goes back after its time. */
  passed?: string;
  /** The agent can't change it, so it is not among the agent's own changes. */
  byPeople?: true;
  /** A moment of the past shows it on this kind's tab; null: not at all. */
  tab?: string | null;
  page?: KindPage;
}

/** Its page in the studio. */
export interface KindPage {
  /** As the gateway's addresses name it. */
  path: string;
  /** As the studio's addresses name it, where that is another name. */
  section?: string;
  /** `list`: things by name. `text`: the agent's only one. `room`: a page of its own, see `RoomView`. */
  form: "list" | "text" | "room";
  /** What stands there where there is none. */
  none: string;
  /** What else is there: it is found by these words too. */
  also?: readonly string[];
  /** Its things are listed by name. */
  listed?: true;
  /** The member of the gateway's answer that is a thing's value; null: the whole answer. */
  value?: string | null;
  /** What a value consists of; the main part is the first that has an editor. Empty: versions can't be compared. */
  parts: readonly KindPart[];
  /** Its versions are kept: without them a deletion is for good. */
  versions: boolean;
  /** The value that a new one begins with. */
  begins?: unknown;
  switchable?: true;
  /** A person can run it. */
  runnable?: true;
  /** It makes a page, which is drawn beside its code. */
  drawn?: true;
  /** It can be sent to the model with each request. */
  pinned?: true;
  /** What helps to write it. */
  hint?: string;
  /** Other kinds whose events renew the page. */
  follows?: readonly string[];
}

const DESCRIPTION: KindPart = { id: "description", label: "Description", language: "line" };

/** The parts of what is code. */
export const CODE: readonly KindPart[] = [DESCRIPTION, { id: "code", label: "Code", language: "javascript" }];

/** The parts of what is called with arguments. */
export const CALLED: readonly KindPart[] = [
  ...CODE,
  { id: "parameter_schema", label: "Schema", language: "json" },
  { id: "examples", label: "Examples", language: "json", optional: true },
];

/** What a new one that is called with arguments begins with. */
export const CALLED_BEGINS = {
  description: "",
  code: "return { hello: 'world' }\n",
  parameter_schema: { type: "object", properties: {}, additionalProperties: false },
};

/** The only part of a text. */
export const TEXT: readonly KindPart[] = [{ id: "text", label: "Text", language: "text" }];
