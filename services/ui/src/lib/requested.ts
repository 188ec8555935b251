/** Where a request is to go that waits for a yes, in lines for the person who decides on it. */
import { spelledOut } from "./jsonText";

/** `length`: how long the text is that was cut. */
interface Cut {
  text: string;
  length: number;
}

export interface Requested {
  to: string;
  query: Cut | null;
  path: Cut | null;
}

type Said = Readonly<Record<string, unknown>>;

/** Null where nothing says where. */
export function requestedIn(said: Said): Requested | null {
  const { host, method, scheme, port, server } = said;
  if (typeof host === "string") {
    const origin = `${scheme ? `${scheme}://` : ""}${host}${port ? `:${port}` : ""}`;
    return {
      to: spelledOut(`${method ?? ""} ${origin}`.trim()),
      path: cut(said, "path"),
      query: cut(said, "query"),
    };
  }
  if (typeof server !== "string") return null;
  return { to: spelledOut(server), path: cut(said, "uri"), query: null };
}

/** As it is read: the path behind the host, the query on a line of its own. */
export function requestedWords({ to, path, query }: Requested): string {
  const lines = [`${to}${path ? `${path.text.startsWith("/") ? "" : " "}${shown(path)}` : ""}`];
  if (query) lines.push(`?${shown(query)}`);
  return lines.join("\n");
}

/** What of it isn't shown; null: all is. */
export function leftOut({ path, query }: Requested): string | null {
  const cuts = [
    ["The path", path],
    ["The query", query],
  ] as const;
  const told = cuts.flatMap(([name, one]) =>
    one && one.length > one.text.length
      ? [`${name} has ${one.length.toLocaleString("en")} characters; the first ${one.text.length} are shown.`]
      : [],
  );
  return told.length > 0 ? told.join(" ") : null;
}

const shown = ({ text, length }: Cut): string => spelledOut(text) + (length > text.length ? "…" : "");

function cut(said: Said, part: string): Cut | null {
  const [text, length] = [said[part], said[`${part}_length`]];
  return typeof text === "string"
    ? { text, length: typeof length === "number" ? length : text.length }
    : null;
}
