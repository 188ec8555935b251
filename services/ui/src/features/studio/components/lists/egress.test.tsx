import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { EgressRecord } from "../../../../lib/wire";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { timeOf } from "../../../../testing/given";
import type { DoneList } from "../../fold/lists";
import { DoneRecords } from "../operating/Records";
import EGRESS from "./egress";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const left = (change: Partial<EgressRecord> = {}): EgressRecord => ({
  ...{
    recorded_at: timeOf(3),
    agent_id: "a1",
    session_id: "s_1",
    title: "Tea",
    call_id: "c1",
    tool: "fetch_url",
  },
  ...{ sequence: 7, host: "shop.example", method: "POST", path: "/orders", verdict: "sent" as const },
  ...{ bytes_out: 2_300, bytes_in: 120, status: 201, secrets: ["SHOP_KEY"], ...change },
});

function setUp(
  pages: Record<string, readonly EgressRecord[]> = { first: [left()], second: [left({ path: "/old" })] },
) {
  const asked = gatewayAnswering(({ path }) => {
    const second = path.includes("cursor=second");
    const next_cursor = second || !pages.second ? null : "second";
    return Response.json({ items: (second ? pages.second : pages.first) ?? [], next_cursor });
  });
  return { asked, ...render(<DoneRecords list={EGRESS as DoneList} agentId="a1" titleOf={() => null} />) };
}

test("a request says where it went, how much, with which secrets, and what became of it", async () => {
  const { asked, container } = setUp();
  expect(await screen.findByText("POST shop.example/orders")).toBeTruthy();
  expect(container.textContent).toContain("Sent · 201");
  expect(container.textContent).toContain("2 kB out, 120 B in");
  expect(container.textContent).toContain("with SHOP_KEY");
  expect(screen.getByRole("link", { name: "Tea" }).getAttribute("href")).toContain("s_1");
  expect(asked[0]?.path).toContain("agent_id=a1");
  expect(await violations(container)).toEqual([]);
});

test("pages are turned, and a filter begins at the newest", async () => {
  const { asked } = setUp();
  await userEvent.click(await screen.findByRole("button", { name: "Older" }));
  expect(await screen.findByText("POST shop.example/old")).toBeTruthy();
  await userEvent.type(screen.getByLabelText("Host, or one above it"), " shop.example {Enter}");
  await userEvent.selectOptions(screen.getByLabelText("Outcome"), "blocked");
  await vi.waitFor(() => {
    const last = asked.at(-1)?.path ?? "";
    expect(last).toContain("host=shop.example&verdict=blocked");
    expect(last).not.toContain("cursor");
  });
});

test("where nothing left it says so; what doesn't fit a filter is told apart", async () => {
  setUp({ first: [] });
  expect(await screen.findByText("Nothing has left in this agent's name.")).toBeTruthy();
  await userEvent.selectOptions(screen.getByLabelText("Outcome"), "asked");
  expect(await screen.findByText("Nothing fits.")).toBeTruthy();
});

/** jsdom's Blob has no `text`. */
function textOf(blob: Blob | undefined): Promise<string> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.readAsText(blob ?? new Blob());
  });
}

test("all pages that fit are saved, a document a line", async () => {
  const blobs: Blob[] = [];
  const names: string[] = [];
  class Addresses extends URL {
    static override createObjectURL = (blob: Blob) => `blob:${blobs.push(blob)}`;
    static override revokeObjectURL = () => {};
  }
  vi.stubGlobal("URL", Addresses);
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download);
  });
  setUp();
  await userEvent.click(await screen.findByRole("button", { name: "Save as JSONL" }));
  await vi.waitFor(() => expect(names).toEqual(["what-left-a1.jsonl"]), { timeout: 5_000 });
  const lines = (await textOf(blobs[0])).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).path)).toEqual(["/orders", "/old"]);
});
