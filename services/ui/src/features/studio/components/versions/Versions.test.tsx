import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { Version } from "../../../../lib/wire";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { timeOf } from "../../../../testing/given";
import { pagedKind } from "../../fold/shelves";
import { Versions } from "./Versions";

afterEach(() => vi.unstubAllGlobals());

const version = (sequence: number, number: number | null, session_id: string | null = null): Version => ({
  ...{ sequence, version: number, deleted: number === null, written_at: timeOf(sequence), session_id },
  ...{
    actor: session_id ? "agent" : "user",
    call_id: null,
    causation: session_id ? 2 : null,
    replaced: null,
    outside: [],
  },
});
const LIST = [version(9, 3), version(5, 2), version(3, 1, "s_1")];

/** A gateway with a tool that was changed at these events. */
function gateway() {
  const writes: unknown[] = [];
  gatewayAnswering(({ method, path, body }) => {
    if (method === "POST") {
      writes.push(body);
      return Response.json({ version: 4 });
    }
    const at = Number(new URL(path, "http://x").searchParams.get("at"));
    const definition = { description: "d", code: `return ${at}`, parameter_schema: {}, enabled: true };
    return Response.json({ version: 1, sequence: at, definition });
  });
  return writes;
}

function show(found = LIST, more = false) {
  const showOlder = vi.fn();
  const read = { value: { versions: found, more }, failure: null, again: vi.fn() };
  const place = { agentId: "a1", kind: pagedKind("tool"), name: "warm" };
  const shown = render(
    <Versions
      place={place}
      versions={{ read, showOlder }}
      titleOf={(id) => (id === "s_1" ? "A chat" : null)}
    />,
  );
  return { showOlder, ...shown };
}

test("the newest is compared with the one before it, and any two can be", async () => {
  gateway();
  const { container } = show();
  const diff = await screen.findByRole("group", { name: "Changes of code" });
  expect(diff.textContent).toContain("- return 5");
  expect(diff.textContent).toContain("+ return 9");
  await userEvent.selectOptions(screen.getByLabelText("From"), "3");
  await waitFor(() =>
    expect(screen.getByRole("group", { name: "Changes of code" }).textContent).toContain("- return 3"),
  );
  expect(await violations(container)).toEqual([]);
});

test("a version leads to its chat, to its call and to its event", () => {
  gateway();
  show();
  const first = screen.getAllByRole("listitem")[2] as HTMLElement;
  const links = within(first)
    .getAllByRole("link")
    .map((link) => [link.textContent?.trim(), link.getAttribute("href")]);
  expect(links).toEqual([
    ["A chat", "#/s/s_1"],
    ["the call of event 3", "#/s/s_1/history/2"],
    ["raw event 3", "api/v1/agents/a1/events/3"],
  ]);
});

test("reverting names the event, and says what became of it", async () => {
  const writes = gateway();
  show();
  expect(screen.queryByRole("button", { name: /^Revert to 3/ })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: /^Revert to 1/ }));
  expect(await screen.findByText("Version 4 restores version 1.")).toBeTruthy();
  expect(writes).toEqual([{ sequence: 3 }]);
});

test("older ones are fetched on demand; of none there is nothing to compare", async () => {
  gateway();
  const { showOlder, unmount } = show(LIST, true);
  await userEvent.click(screen.getByRole("button", { name: "Show older versions" }));
  expect(showOlder).toHaveBeenCalledOnce();
  unmount();
  show([]);
  expect(screen.getByText(/No versions yet/)).toBeTruthy();
});

test("a version says where material came from that its writer had, with the way there", async () => {
  gateway();
  const source = {
    kind: "web" as const,
    name: "evil.example",
    first_address: "7",
    session_id: "s_2",
    count: 1,
    last_address: null,
  };
  const { container } = show([{ ...version(9, 3, "s_1"), outside: [source] }, version(5, 2)]);
  await screen.findByText("All versions");
  expect(container.textContent).toContain("With material from evil.example (the web)");
  const link = screen.getByRole("link", { name: "evil.example (the web)" });
  expect(link.getAttribute("href")).toContain("s_2");
  expect(await violations(container)).toEqual([]);
});
