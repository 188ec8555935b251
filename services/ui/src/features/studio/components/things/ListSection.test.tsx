import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { timeOf } from "../../../../testing/given";
import type { StudioState } from "../../api/openStudio";
import { pagedKind } from "../../fold/shelves";
import { EMPTY, type Item, itemOf } from "../../fold/view";
import { ListSection } from "./ListSection";

afterEach(() => vi.unstubAllGlobals());

const item = (name: string, change: Partial<Item> = {}) =>
  itemOf({
    ...{
      name,
      version: 2,
      sequence: 5,
      written_at: timeOf(5),
      actor: "agent",
      session_id: "s_1",
      call_id: null,
    },
    ...change,
  });

function show(...items: Item[]) {
  gatewayAnswering(() => Response.json({ names: [], version: 0 }));
  const tool = Object.fromEntries(items.map((one) => [one.name, one]));
  const view = { ...EMPTY, lists: { ...EMPTY.lists, tool } };
  const state: StudioState = { view, loaded: true, failure: null, connection: "live", reads: 1 };
  const props = { agentId: "a1", kind: pagedKind("tool"), name: null, shown: null, state };
  return render(<ListSection {...props} titleOf={() => null} />);
}

test("each is shown with what it is for, its version and who changed it", async () => {
  const { container } = show(item("warm", { description: "Warms.", enabled: false }), item("brew"));
  const links = screen.getAllByRole("link").map((link) => link.textContent);
  expect(links[1]).toMatch(/^warmdisabledv2Warms\.by the agent, /);
  expect(screen.getByRole("link", { name: /^warm/ }).getAttribute("href")).toBe("#/studio/a1/tools/warm");
  expect(await violations(container)).toEqual([]);
});

test("a tool in quarantine says so, and why", () => {
  show(item("moody", { quarantined: "The model server refused it." }), item("brew"));
  expect(screen.getByTitle("The model server refused it.").textContent).toBe("in quarantine");
  expect(screen.getAllByText("in quarantine")).toHaveLength(1);
});

test("finding narrows the list, and says when nothing is left", async () => {
  show(item("warm"), item("brew"));
  await userEvent.type(screen.getByLabelText("Find a tool"), "war");
  expect(screen.getAllByRole("link")).toHaveLength(1);
  await userEvent.type(screen.getByLabelText("Find a tool"), "x");
  expect(screen.getByRole("status").textContent).toBe("Nothing found.");
});

test("an empty one says how it fills", () => {
  show();
  expect(screen.getByRole("status").textContent).toContain("has made no tools yet");
});
