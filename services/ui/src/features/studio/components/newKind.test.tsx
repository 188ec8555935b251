import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Kind } from "../../../lib/kind";
import { KINDS } from "../../../lib/kinds";
import { violations } from "../../../testing/axe";
import { type Asked, gatewayAnswering } from "../../../testing/gateway";
import { timeOf } from "../../../testing/given";
import { shelfNamed } from "../fold/shelves";
import { StudioPage } from "./StudioPage";

/** All that the UI has to be told of a new kind: in the product, one file in `lib/kinds`. */
const RECIPE: Kind = {
  kind: "recipe",
  noun: "recipe",
  title: "Recipes",
  group: "made",
  order: 7,
  page: {
    path: "recipes",
    form: "list",
    none: "No recipes yet.",
    listed: true,
    parts: [
      { id: "description", label: "Description", language: "line" },
      { id: "steps", label: "Steps", language: "text" },
    ],
    versions: true,
    begins: { description: "", steps: "Boil.\n" },
    switchable: true,
  },
};

beforeEach(() => {
  KINDS.recipe = RECIPE;
});
afterEach(() => {
  delete KINDS.recipe;
  vi.unstubAllGlobals();
});

const WRITTEN = {
  ...{ version: 2, sequence: 9, written_at: timeOf(9), actor: "agent", session_id: null, call_id: null },
};
const version = (number: number, sequence: number) => ({
  ...{ ...WRITTEN, version: number, sequence, deleted: false, causation: null, replaced: null, outside: [] },
});

/** A gateway that knows the new kind as it knows the others. */
function gateway() {
  const asked = gatewayAnswering(({ method, path }) => {
    if (method !== "GET") return Response.json({ ...WRITTEN, version: 3 });
    if (path.includes("/recipes/tea/versions"))
      return Response.json({ items: [version(2, 9), version(1, 5)], next_cursor: null });
    if (path.includes("/recipes/")) {
      const steps = path.includes("at=5") ? "Boil.\n" : "Boil water.\n";
      return Response.json({ ...WRITTEN, definition: { description: "Tea.", steps, enabled: true } });
    }
    if (path.endsWith("/recipes"))
      return Response.json({
        items: [{ ...WRITTEN, name: "tea", description: "Tea.", enabled: true }],
      });
    if (path.endsWith("/state")) return Response.json({ items: [], next_cursor: null });
    if (path.endsWith("/secrets")) return Response.json({ items: [], next_cursor: null });
    if (path.endsWith("/agents")) return Response.json({ items: [], next_cursor: null });
    if (path.includes("/costs")) return Response.json({ items: [], next_cursor: null });
    return Response.json({ items: [], next_cursor: null });
  });
  const writes = () => asked.filter(({ method }) => method !== "GET");
  return { writes };
}

function open(name: string | null, view: string | null = null) {
  const route = { agentId: "a1", section: "recipes", name, view };
  return render(<StudioPage route={route} titleOf={() => null} />);
}

const told = ({ method, path, body }: Asked) => [method, path, body];

test("a new kind is declared, and the studio lists its things, beside those of the other kinds", async () => {
  gateway();
  const { container } = open(null);
  const item = await screen.findByRole("link", { name: /^tea/ }, { timeout: 10_000 });
  expect(item.getAttribute("href")).toBe("#/studio/a1/recipes/tea");
  const sections = within(screen.getByRole("navigation", { name: "Sections of the studio" }));
  expect(sections.getByRole("link", { name: /^Recipes/ }).textContent).toBe("Recipes1");
  expect(shelfNamed("recipes").kind).toBe(RECIPE);
  expect(await violations(container)).toEqual([]);
});

test("one is read, edited, switched and deleted", async () => {
  const { writes } = gateway();
  open("tea");
  expect(await screen.findByRole("link", { name: "Steps" }, { timeout: 10_000 })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Disable" }));
  await waitFor(() => expect(writes()).toHaveLength(1));
  await userEvent.click(await screen.findByRole("button", { name: "Edit" }));
  await userEvent.type(screen.getByLabelText("Description"), " Hot.");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(writes()).toHaveLength(2));
  await userEvent.click(await screen.findByRole("button", { name: "Delete…" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByText(/Its versions are kept/)).toBeTruthy();
  await userEvent.click(dialog.getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(writes()).toHaveLength(3));
  expect(writes().map(told)).toEqual([
    ["PATCH", "/agents/a1/recipes/tea", { enabled: false }],
    ["PUT", "/agents/a1/recipes/tea", { description: "Tea. Hot.", steps: "Boil water.\n", version: 2 }],
    ["DELETE", "/agents/a1/recipes/tea", null],
  ]);
});

test("its versions are compared, and it is reverted to one", async () => {
  const { writes } = gateway();
  open("tea", "versions");
  const changes = await screen.findByRole("group", { name: "Changes of steps" }, { timeout: 10_000 });
  expect(changes.textContent).toContain("+ Boil water.");
  await userEvent.click(screen.getByRole("button", { name: /^Revert to 1/ }));
  expect(await screen.findByText("Version 3 restores version 1.")).toBeTruthy();
  expect(writes().map(told)).toEqual([["POST", "/agents/a1/recipes/tea:revert", { sequence: 5 }]]);
});

test("a person makes one", async () => {
  const { writes } = gateway();
  open(null);
  await userEvent.click(await screen.findByRole("button", { name: "New" }, { timeout: 10_000 }));
  const form = within(screen.getByRole("form", { name: "New recipe" }));
  await userEvent.type(form.getByLabelText("Name"), "rice");
  await userEvent.click(form.getByRole("button", { name: "Save" }));
  await waitFor(() =>
    expect(writes().map(told)).toEqual([
      ["PUT", "/agents/a1/recipes/rice", { description: "", steps: "Boil.\n", version: 0 }],
    ]),
  );
});
