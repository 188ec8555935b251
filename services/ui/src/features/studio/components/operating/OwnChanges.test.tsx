import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { OwnChange } from "../../../../lib/wire";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { timeOf } from "../../../../testing/given";
import { OwnChanges } from "./OwnChanges";

afterEach(() => vi.unstubAllGlobals());

const change = (of: Partial<OwnChange> = {}): OwnChange => ({
  ...{ changed_at: timeOf(3), address: "7", what: "made" as const, kind: "skill", name: "tea", label: "tea" },
  ...{ version: 1, session_id: "s_1", title: "Tea", call_id: "c1", tool: "create_skill" },
  ...{ why: "Learn to brew", woken_by: null, outside: [], changed_since: null, ...of },
});

function setUp(changes: readonly OwnChange[], undo: () => Response = () => Response.json({})) {
  const asked = gatewayAnswering(({ method, path }) => {
    if (method === "POST") return undo();
    return Response.json({ items: changes, next_cursor: path.includes("cursor") ? null : "more" });
  });
  return { asked, ...render(<OwnChanges agentId="a1" titleOf={() => null} />) };
}

test("a line says what, why, when and in which chat, and undoes itself", async () => {
  const { asked, container } = setUp([change()]);
  const line = await screen.findByRole("listitem", { name: "Made the skill tea" });
  expect(line.textContent).toContain("You said: Learn to brew");
  expect(within(line).getByRole("link", { name: "Tea" }).getAttribute("href")).toContain("s_1");
  expect(await violations(container)).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: /^Undo *Made the skill tea/ }));
  await vi.waitFor(() => expect(asked.some((one) => one.path.endsWith("/changes/7:undo"))).toBe(true));
});

test("what was changed since can't be undone here, and who woke the chat is said", async () => {
  setUp([change({ changed_since: "9", woken_by: "shop", what: "deleted", kind: "file", label: "a.txt" })]);
  const line = await screen.findByRole("listitem", { name: "Deleted the file a.txt" });
  expect(line.textContent).toContain("shop said: Learn to brew");
  expect(line.textContent).toContain("Changed since");
  expect(within(line).queryByRole("button")).toBeNull();
});

test("what was read from outside by then is named, with a link to where it came in", async () => {
  const page = {
    kind: "web" as const,
    name: "evil.example",
    first_address: "4",
    session_id: "s_1",
    count: 1,
    last_address: null,
  };
  setUp([change({ what: "deleted", kind: "file", label: "keep.txt", outside: [page] })]);
  const line = await screen.findByRole("listitem", { name: "Deleted the file keep.txt" });
  expect(line.textContent).toContain("The agent had read text from evil.example (the web)");
  const link = within(line).getByRole("link", { name: "evil.example (the web)" });
  expect(link.getAttribute("href")).toContain("s_1");
});

test("an undo that is refused says why", async () => {
  const problem = { type: "about:blank", title: "Conflict", status: 409, detail: "It was changed since" };
  setUp([change()], () => Response.json(problem, { status: 409 }));
  await userEvent.click(await screen.findByRole("button", { name: /^Undo *Made the skill tea/ }));
  expect((await screen.findByRole("alert")).textContent).toContain("It was changed since");
});

test("pages are turned, and a kind begins at the newest", async () => {
  const { asked } = setUp([change()]);
  await userEvent.click(await screen.findByRole("button", { name: "Older" }));
  await vi.waitFor(() => expect(asked.at(-1)?.path).toContain("cursor=more"));
  await userEvent.selectOptions(screen.getByLabelText("Which things"), "tool");
  await vi.waitFor(() => {
    expect(asked.at(-1)?.path).toContain("kind=tool");
    expect(asked.at(-1)?.path).not.toContain("cursor");
  });
});
