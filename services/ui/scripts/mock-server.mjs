/**
 * For looking at the UI without the rest: serves dist/ and a scripted gateway on 127.0.0.1.
 *
 *   node scripts/mock-server.mjs [port]     port 0 or none: a free one; the address is printed
 *
 * Send "ask", "progress", "markdown" or "fail" to see those. No tests depend on it and nothing is built from it.
 */
import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { interrupt, wake } from "./mock/agent.mjs";
import { append, events, listen, messagePage, newId, sessions, sessionView } from "./mock/log.mjs";
import { seed } from "./mock/seeds.mjs";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const CSP =
  "default-src 'self'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'";

/** Set by POST /mock {"refuse": true}: every API request is answered 401; {"down": true}: connections are cut. */
let mood = {};
const answered = new Map();

const json = (response, status, body) => {
  response.writeHead(status, {
    "content-type": status >= 400 ? "application/problem+json" : "application/json",
  });
  response.end(JSON.stringify(body));
};
const problem = (response, status, kind, detail) =>
  json(response, status, { title: kind, status, kind, detail });

async function read(request) {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text ? JSON.parse(text) : {};
}

function stream(request, response, query) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const watched = query.getAll("watch");
  const send = ({ event, delta }) => {
    if (event) response.write(`event: event\nid: ${event.sequence}\ndata: ${JSON.stringify(event)}\n\n`);
    if (delta && watched.includes(delta.session_id))
      response.write(`event: delta\ndata: ${JSON.stringify(delta)}\n\n`);
  };
  for (const event of events.slice(Number(query.get("after") ?? events.length))) send({ event });
  response.write(": here\n\n");
  const stop = listen(send);
  const heartbeat = setInterval(
    () => (mood.down ? response.destroy() : response.write(": heartbeat\n\n")),
    1000,
  );
  request.on("close", () => {
    stop();
    clearInterval(heartbeat);
  });
}

function list(query) {
  const q = query.get("q")?.toLowerCase();
  const found = [...sessions.values()]
    .filter(
      (one) =>
        !q ||
        one.session.title?.toLowerCase().includes(q) ||
        one.messages.some((m) => m.text.toLowerCase().includes(q)),
    )
    .sort((one, other) => other.session.created_at.localeCompare(one.session.created_at));
  return { sessions: found.map(sessionView), next_cursor: null };
}

function accept(id, kind, body) {
  const { event_id, sequence } = append(id, kind, body, { actor: "user" });
  return { event_id, sequence };
}

function write({ session: { id, status }, calls }, action, body) {
  const closed = status === "error" || status === "completed";
  if (closed && action !== "title") return [409, "session_closed", "This session has ended."];
  if (action === "messages") {
    const accepted = accept(id, "user_message", { text: body.text });
    void wake(id);
    return accepted;
  }
  if (action === "tool-responses") {
    if (calls[body.call_id]?.status !== "pending") return [409, "already_answered", "Already answered."];
    const accepted = accept(id, "tool_response", body);
    void wake(id);
    return accepted;
  }
  if (action === "interrupt") {
    const accepted = accept(id, "interrupted", {});
    interrupt(id);
    return accepted;
  }
  if (action === "archive") {
    const accepted = accept(id, "archived", {});
    append(id, "completed", { reason: "archived" });
    return accepted;
  }
  if (action === "continue") {
    const accepted = accept(id, "continued", body);
    append(id, "became_idle", {});
    return accepted;
  }
  if (action === "title") return accept(id, "renamed", { title: body.title });
  return [404, "not_found", "No such address."];
}

async function api(request, response, path, query) {
  if (mood.refuse) return problem(response, 401, "unauthorized", "No token, no answer.");
  if (path === "/events") return stream(request, response, query);
  if (path === "/settings") return json(response, 200, { model: "demo" });
  const [, root, id, part, sub] = path.split("/");
  if (root !== "sessions") return problem(response, 404, "not_found", "No such address.");
  if (!id && request.method === "GET") return json(response, 200, list(query));
  const key = request.headers["idempotency-key"];
  if (request.method === "POST" && answered.has(key)) return json(response, ...answered.get(key));
  const body = request.method === "POST" ? await read(request) : {};
  const reply = (status, value) => {
    if (key) answered.set(key, [status, value]);
    json(response, status, value);
  };
  if (!id) {
    const fresh = newId("s");
    append(fresh, "created", { agent_id: "main", token_limit: 100_000 });
    accept(fresh, "user_message", { text: body.message });
    reply(201, sessionView(sessions.get(fresh)));
    return void wake(fresh);
  }
  const session = sessions.get(id);
  if (!session) return problem(response, 404, "not_found", `There is no session ${id}.`);
  if (request.method === "POST") {
    const outcome = write(session, part, body);
    return Array.isArray(outcome) ? problem(response, ...outcome) : reply(202, outcome);
  }
  if (!part) return json(response, 200, sessionView(session));
  if (part === "messages") {
    const page = messagePage(session, Number(query.get("before")), 50);
    return json(response, 200, query.get("before") ? page : { ...page, session: sessionView(session) });
  }
  if (part === "calls") return json(response, 200, session.calls[sub]);
  const after = Number(query.get("after") ?? 0);
  const found = events.filter((event) => event.session_id === id && event.sequence > after);
  return json(response, 200, { events: found.slice(0, Number(query.get("limit") ?? 100)), next_after: null });
}

function file(response, path) {
  const name = normalize(join(DIST, path === "/" ? "index.html" : path));
  if (!name.startsWith(DIST) || !existsSync(name))
    return problem(response, 404, "not_found", "No such file.");
  response.writeHead(200, {
    "content-type": TYPES[extname(name)] ?? "application/octet-stream",
    "content-security-policy": CSP,
  });
  createReadStream(name).pipe(response);
}

seed();
const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://mock");
  if (pathname === "/mock") {
    mood = await read(request);
    return json(response, 200, mood);
  }
  if (mood.down) return request.socket.destroy();
  if (pathname.startsWith("/api/v1")) return api(request, response, pathname.slice(7), searchParams);
  return file(response, pathname);
});
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/`);
});
