/** Tool calls in words that begin with what was done, for people who don't know the tools' names. */
import { plainText } from "./plainText";
import { members, text } from "./shape";

/** What a tool does, and the argument that says to what. */
const WORDS: Record<string, [does: string, to?: string]> = {
  ask_user: ["Asked you", "question"],
  begin_task: ["Began the task", "title"],
  browser_back: ["Went back in the browser"],
  browser_click: ["Clicked in the browser", "ref"],
  browser_close: ["Closed the browser"],
  browser_current_page: ["Looked which page is open"],
  browser_downloads: ["Listed the browser's downloads"],
  browser_evaluate: ["Ran code in the page"],
  browser_forward: ["Went forward in the browser"],
  browser_pages: ["Listed the open pages"],
  browser_screenshot: ["Took a screenshot"],
  browser_scroll: ["Scrolled the page"],
  browser_snapshot: ["Looked at the page"],
  browser_type: ["Typed into the page", "text"],
  check_inbox: ["Checked the inbox"],
  db_schema: ["Looked at the database's tables"],
  db_sql: ["Queried the database", "sql"],
  edit_learned_notes: ["Changed the learned notes"],
  edit_system_prompt: ["Changed the prompt"],
  end_task: ["Ended the task"],
  execute_shell: ["Ran", "command"],
  fetch_url: ["Fetched", "url"],
  file_copy: ["Copied the file", "path"],
  file_delete: ["Deleted the file", "path"],
  file_download: ["Downloaded", "url"],
  file_info: ["Looked at the file", "path"],
  file_insert_lines: ["Changed the file", "path"],
  file_list: ["Listed the files"],
  file_read_text: ["Read the file", "path"],
  file_rename: ["Renamed the file", "path"],
  file_replace_lines: ["Changed the file", "path"],
  file_search: ["Searched the files for", "query"],
  file_view: ["Looked at the file", "path"],
  file_write_text: ["Wrote the file", "path"],
  find_tools: ["Looked for tools", "query"],
  fork_session: ["Forked the chat"],
  get_state: ["Read the stored value", "key"],
  list_state_keys: ["Listed what is stored"],
  llm_generate: ["Asked a model aside", "prompt"],
  promote_file: ["Kept the file for all chats", "path"],
  render_and_wait: ["Showed you a page", "name"],
  render_blocks: ["Showed you", "title"],
  request_user_input: ["Asked you for", "title"],
  ask_human: ["Asked you", "question"],
  report_result: ["Reported the result"],
  run_command: ["Ran", "command"],
  run_python: ["Ran Python", "code"],
  run_sandbox_code: ["Ran code"],
  search_history: ["Searched earlier chats for", "query"],
  send_message: ["Said", "text"],
  set_reminder: ["Set a reminder", "message"],
  set_state: ["Stored the value", "key"],
  spawn_session: ["Began a sub-session", "task"],
  wait_for_sessions: ["Waited for sub-sessions"],
  web_read: ["Read the page", "url"],
  web_search: ["Searched the web for", "query"],
  write_notepad: ["Wrote the notepad"],
};

const VERBS: Record<string, string> = {
  cancel: "Cancelled the",
  create: "Made the",
  delete: "Deleted the",
  disable: "Switched off the",
  edit: "Changed the",
  enable: "Switched on the",
  get: "Read the",
  list: "Listed the",
  read: "Read the",
  set: "Set the",
  update: "Changed the",
  write: "Wrote the",
};

const NAMES = ["name", "path", "key", "url", "query", "title"];
/** Arguments that are written for people, in Markdown; `send_message` has its words in `text`. */
const PROSE = new Set(["message", "prompt", "question", "task", "title"]);
const LONGEST = 80;

/** What a tool is called within its pack. */
export const nameOf = (tool: string): string => tool.slice(tool.lastIndexOf(".") + 1);

/** What a call did: "Read the page example.org". */
export function callWords(tool: string, args: unknown): string {
  const [does, to] = spoken(tool, args);
  return to ? `${does} ${to}` : does;
}

/** How a call ended, as far as its words depend on it: `refused` by a person, `unknown` whether it acted. */
export type Ending = "done" | "failed" | "cancelled" | "refused" | "unknown";

const NOT_DONE: Record<Exclude<Ending, "done" | "refused">, string> = {
  failed: "Failed:",
  cancelled: "Cancelled:",
  unknown: "May have run:",
};

/** What became of a call: "Stored the value colour", or where it did not succeed "Failed: set_state: colour". */
export function outcomeWords(tool: string, args: unknown, ending: Ending): string {
  if (ending === "done") return callWords(tool, args);
  return ending === "refused" ? unrunWords(tool, args) : `${NOT_DONE[ending]} ${unrunWords(tool, args)}`;
}

/** The ending of a call with this status and kind of error; one that goes on is told as what it does. */
export function endingOf(status: string | null, kind?: string): Ending {
  if (kind === "refused") return "refused";
  if (kind === "outcome_unknown") return "unknown";
  if (status === "cancelled") return "cancelled";
  return status === "failed" ? "failed" : "done";
}

/** A call that never ran, by its tool and what it would have acted on: "run_command: rm -r notes". */
export function unrunWords(tool: string, args: unknown): string {
  const [, to] = spoken(tool, args);
  return to ? `${nameOf(tool)}: ${to}` : nameOf(tool);
}

/** What a call does, and to what; "" where nothing short says that. */
export function spoken(tool: string, args: unknown): [does: string, to: string] {
  const given = members(args);
  const name = nameOf(tool);
  const [does, to] = WORDS[name] ?? derived(name, given);
  const about = to ? text(given[to]) : "";
  const isProse = name === "send_message" || (to !== undefined && PROSE.has(to));
  return [does, to === "url" ? pageName(about) : oneLine(isProse ? plainText(about) : about)];
}

function derived(name: string, given: Record<string, unknown>): [does: string, to?: string] {
  const [verb = "", ...rest] = name.split("_");
  const member = NAMES.find((one) => typeof given[one] === "string");
  const words = rest.join(" ").replace("ui component", "page");
  if (VERBS[verb] && words) return member ? [`${VERBS[verb]} ${words}`, member] : [`${VERBS[verb]} ${words}`];
  return [`Used ${name}`];
}

/** A web address as people name the page: without scheme, `www.` and query. */
function pageName(url: string): string {
  const [, host = "", path = ""] = /^[a-z]+:\/\/(?:www\.)?([^/?#]+)([^?#]*)/i.exec(url) ?? [];
  return oneLine(host ? `${host}${path.replace(/\/$/, "")}` : url);
}

/** A text in one line, its end cut off where it is long. */
export function oneLine(said: string, longest = LONGEST): string {
  const line = said.replace(/\s+/g, " ").trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

/** Members of a result that say to people what came of a call, in the order in which they are looked for. */
const SAYS = ["message", "summary", "answer", "text", "content", "title", "name", "path", "url", "status"];

/** Numbers of a result that say nothing of what came of the call. */
const NO_FIGURES = new Set(["version", "sequence"]);
/** Of a result that is numbers alone, so many are told. */
const FIGURES = 3;

/**
 * What came of a call, in one line, from its result as JSON of which the end may be cut off. Empty where the
 * result is neither text nor a few numbers, and has no member for people: the details show it.
 */
export function resultWords(result: string): string {
  const said = result.trim();
  if (/^(null|true|false)$/.test(said)) return "";
  const found = /^[[{"]/.test(said) ? parsed(said) : undefined;
  if (found === undefined && !/^(\{\s*"|\[\s*["{[])/.test(said)) return oneLine(said, said.length);
  if (typeof found === "string") return oneLine(found, found.length);
  if (Array.isArray(found)) return `${found.length} ${found.length === 1 ? "entry" : "entries"}`;
  const given = members(found);
  const prose = SAYS.map((name) => given[name]).find((one) => typeof one === "string" && one !== "");
  if (typeof prose === "string") return oneLine(plainText(prose), prose.length);
  const lists = Object.entries(given).filter((one): one is [string, unknown[]] => Array.isArray(one[1]));
  const [name, list] = lists.length === 1 && lists[0] ? lists[0] : ["", []];
  if (name) return `${name.replaceAll("_", " ")}: ${list.length}`;
  const figures = Object.entries(given).filter(([one, of]) => typeof of === "number" && !NO_FIGURES.has(one));
  return figures.length <= FIGURES
    ? figures.map(([one, of]) => `${one.replaceAll("_", " ")}: ${of}`).join(", ")
    : "";
}

/** The value; of a text that is cut, what is there; of anything else that is cut, nothing. */
function parsed(json: string): unknown {
  for (const whole of json.startsWith('"') ? [json, `${json.replace(/\\[^"\\]*$/, "")}"`] : [json]) {
    try {
      return JSON.parse(whole);
    } catch {
      // It was cut off: tried without its last escape, or left to the details.
    }
  }
  return undefined;
}
