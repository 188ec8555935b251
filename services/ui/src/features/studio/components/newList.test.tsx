import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { violations } from "../../../testing/axe";
import { type Asked, gatewayAnswering } from "../../../testing/gateway";
import { timeOf } from "../../../testing/given";
import { type DoneList, type DoneRow, LISTS } from "../fold/lists";
import { shelfNamed, shelves } from "../fold/shelves";
import { StudioPage } from "./StudioPage";

interface Tide extends DoneRow {
  height: number;
  sea: string;
}

/** All that the UI has to be told of a new list: in the product, one file in `components/lists`. */
const TIDES: DoneList<Tide> = {
  name: "tides",
  title: "What flowed",
  order: 1.5,
  about: "Each tide.",
  none: "No tide yet.",
  narrowing: {
    label: "Tides",
    texts: [{ key: "sea", label: "A part of the sea's name", hint: "Sea", longest: 20 }],
    choice: { key: "way", label: "Which way", any: "Both ways", words: { in: "In", out: "Out" } },
  },
  saved: "what-flowed",
  what: ({ sea }) => sea,
  badge: ({ height }) => `${height} m`,
  facts: () => <span>salt</span>,
};

const TIDE: Tide = {
  ...{ tool: "wait", recorded_at: timeOf(3), session_id: "s_1", sequence: 7, title: "At the shore" },
  ...{ height: 3, sea: "North Sea" },
};

beforeEach(() => {
  LISTS.tides = TIDES as DoneList;
});
afterEach(() => {
  delete LISTS.tides;
  vi.unstubAllGlobals();
});

test("a list that only its declaration knows has a page, is narrowed down and says what was done", async () => {
  expect(shelves().map(({ title }) => title)).toEqual(
    expect.arrayContaining(["What left", "What flowed", "What ran"]),
  );
  expect(shelfNamed("tides").title).toBe("What flowed");
  const asked: Asked[] = gatewayAnswering(({ path }) => {
    if (path.startsWith("/tides"))
      return Response.json({ items: path.includes("sea=") ? [] : [TIDE], next_cursor: null });
    return Response.json({ items: [], next_cursor: null });
  });
  const route = { agentId: "a1", section: "tides", name: null, view: null };
  const { container } = render(<StudioPage route={route} titleOf={() => null} />);
  expect(await screen.findByText("North Sea", {}, { timeout: 10_000 })).toBeTruthy();
  expect(container.textContent).toContain("3 m");
  expect(screen.getByRole("link", { name: "At the shore" }).getAttribute("href")).toContain("s_1");
  expect(await violations(container)).toEqual([]);
  await userEvent.selectOptions(screen.getByLabelText("Which way"), "out");
  await userEvent.type(screen.getByLabelText("A part of the sea's name"), "Baltic{Enter}");
  expect(await screen.findByText("Nothing fits.")).toBeTruthy();
  expect(asked.filter(({ path }) => path.startsWith("/tides")).at(-1)?.path).toContain("sea=Baltic&way=out");
});
