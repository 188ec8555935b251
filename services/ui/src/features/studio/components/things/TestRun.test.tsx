import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { timeOf } from "../../../../testing/given";
import { pagedKind } from "../../fold/shelves";
import { TestRun } from "./TestRun";

beforeEach(() => sessionStorage.clear());
afterEach(() => vi.unstubAllGlobals());

const CODE = "const r = await fetch(args.url)\nthrow new Error('no')\n";
const SCHEMA = {
  type: "object",
  properties: { url: { type: "string" }, times: { type: "integer" } },
  required: ["url"],
};
const ENDED = { call_id: "t_1", result: null, error: null, logs: [], ms: 12, usage: null };

function setUp(answer: () => Response) {
  const asked = gatewayAnswering(answer);
  const place = { agentId: "a1", kind: pagedKind("tool"), name: "ping" };
  const written = { version: 2, sequence: 5, written_at: timeOf(5), actor: "agent" as const };
  const value = { parameter_schema: SCHEMA, code: CODE, enabled: false };
  const thing = { ...written, session_id: "s_1", call_id: null, value };
  return { asked, ...render(<TestRun place={place} thing={thing} />) };
}

test("it says what it will do for real, and runs once under a key", async () => {
  const { asked, container } = setUp(() => Response.json({ ...ENDED, result: { ok: true }, logs: ["hi"] }));
  expect(screen.getByText("sends requests to other servers")).toBeTruthy();
  expect(screen.getByText(/The tool is disabled for the agent/)).toBeTruthy();
  await userEvent.type(screen.getByLabelText("url"), "https://a.test");
  await userEvent.type(screen.getByLabelText(/^times/), "3");
  await userEvent.click(screen.getByRole("button", { name: "Run for real" }));
  expect((await screen.findByRole("group", { name: "Result" })).textContent).toContain('"ok": true');
  expect(screen.getByRole("group", { name: "Log" }).textContent).toBe("hi");
  expect(asked.map(({ path, body }) => [path, body])).toEqual([
    ["/agents/a1/tools/ping:test", { arguments: { url: "https://a.test", times: 3 } }],
  ]);
  expect(asked[0]?.key).toBeTruthy();
  expect(await violations(container)).toEqual([]);
});

test.each(["many", "-1.50", "1e", "0.0"])("a number is typed key by key as it is meant: %s", async (text) => {
  setUp(() => Response.json(ENDED));
  const times = screen.getByLabelText(/^times/);
  await userEvent.type(times, text);
  expect(times).toHaveProperty("value", text);
});

test("what its code throws is shown with its line", async () => {
  const details = { name: "Error", line: 2, column: 7, file: "ping.js", stack: "at ping.js:2" };
  const error = { kind: "rejected", message: "Error: no (line 2, column 7)", details };
  setUp(() => Response.json({ ...ENDED, error }));
  await userEvent.click(screen.getByRole("button", { name: "Run for real" }));
  expect((await screen.findByRole("alert")).textContent).toContain("Error: no (line 2, column 7)");
  const line = screen
    .getByRole("group", { name: "Where it failed" })
    .querySelector("[aria-current=location]");
  expect(line?.textContent).toContain("throw new Error('no')");
});

test("an argument that is refused is marked, and what was written is kept", async () => {
  const problem = {
    kind: "invalid_request",
    detail: "times: 'x' is not an integer",
    path: "/times",
    status: 422,
  };
  const headers = { "content-type": "application/problem+json" };
  const { unmount } = setUp(() => Response.json(problem, { status: 422, headers }));
  await userEvent.type(screen.getByLabelText(/^times/), "x");
  await userEvent.click(screen.getByRole("button", { name: "Run for real" }));
  await vi.waitFor(() => expect(screen.getByLabelText(/^times/).getAttribute("aria-invalid")).toBe("true"));
  expect(screen.getByRole("alert").textContent).toBe("times: 'x' is not an integer");
  unmount();
  setUp(() => Response.json(ENDED));
  await userEvent.click(screen.getByRole("button", { name: "JSON" }));
  await vi.waitFor(() => expect(textOfEditor()).toContain('"times": "x"'), { timeout: 20_000 });
}, 30_000);

/** The editor is loaded when it is first met: until then the text stands before it, then in its shadow tree. */
function textOfEditor() {
  const editor = document.querySelector(".code-editor");
  return `${editor?.textContent}${editor?.firstElementChild?.shadowRoot?.textContent ?? ""}`;
}
