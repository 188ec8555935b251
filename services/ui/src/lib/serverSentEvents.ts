/** The wire format of Server-Sent Events. */

export interface ServerSentEvent {
  event: string;
  id: string | null;
  data: string;
}

/** Cuts a text stream into events: feed it chunks as they come, it returns the events that each completes. */
export function eventParser(): (chunk: string) => ServerSentEvent[] {
  let rest = "";
  let event = "";
  let id: string | null = null;
  let data: string[] = [];

  function line(text: string): ServerSentEvent | null {
    if (text === "") {
      const complete = data.length ? { event: event || "message", id, data: data.join("\n") } : null;
      event = "";
      id = null;
      data = [];
      return complete;
    }
    const colon = text.indexOf(":");
    if (colon === 0) return null;
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    else if (field === "id") id = value;
    else if (field === "data") data.push(value);
    return null;
  }

  return (chunk) => {
    rest += chunk;
    // A carriage return at the very end may be the first half of a line end: it waits for the next chunk.
    const end = rest.endsWith("\r") ? rest.length - 1 : rest.length;
    const lines = rest.slice(0, end).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? "") + rest.slice(end);
    return lines.map(line).filter((found) => found !== null);
  };
}
