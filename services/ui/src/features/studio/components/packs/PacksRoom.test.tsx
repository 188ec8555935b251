import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { AgentPack, AgentPacks } from "../../api/packs";
import { PacksRoom } from "./PacksRoom";

const PACK: AgentPack = {
  name: "first",
  title: "First",
  purpose: "What comes first.",
  version: "1",
  enabled: true,
  installed: true,
  problem: null,
  missing_secrets: [],
  tools: [
    {
      tool: "first.fetch_url",
      name: "fetch_url",
      family: "web",
      description: "Fetches, as `web_read` does.",
      alias_of: "fetch_url",
    },
  ],
  brings: [{ kind: "schedule", name: "Tidy up" }],
};
const FOUND: AgentPacks = {
  version: 3,
  sequence: 9,
  time: null,
  actor: "user",
  session_id: null,
  call_id: null,
  outside: [],
  packs: [
    PACK,
    {
      ...PACK,
      name: "second",
      title: "Second",
      tools: [],
      brings: [],
      missing_secrets: ["DISCORD_BOT_TOKEN"],
    },
    { ...PACK, name: "third", title: "Third", enabled: false },
    { ...PACK, name: "bad", title: "Bad", enabled: false, problem: "it is torn", tools: [], brings: [] },
  ],
  renamed: [{ tool: "fetch_url", name: "core_fetch_url" }],
};

/** A gateway with these packs, and what it was told to enable. */
async function room(): Promise<unknown[]> {
  const told: unknown[] = [];
  vi.spyOn(window, "fetch").mockImplementation(async (given) => {
    const request = given as Request;
    if (request.method !== "GET") told.push(JSON.parse(await request.text()));
    return Response.json(FOUND);
  });
  render(<PacksRoom agentId="default" revision="1" />);
  await screen.findByText("First", {}, { timeout: 60_000 }); // a busy machine takes long to load it
  return told;
}

test("what is enabled, what it brings and what is renamed is shown; a broken one says why", async () => {
  await room();
  expect(screen.getAllByText("It brings: Tidy up (schedule)")).toHaveLength(2);
  expect(screen.getAllByText("web_read")[0]?.tagName).toBe("CODE");
  screen.getByText(/wait for a secret .*: DISCORD_BOT_TOKEN/);
  const renamed = screen.getByRole("region", { name: "Renamed tools" });
  expect(renamed.textContent).toContain("fetch_url is now called core_fetch_url");
  expect(screen.getByRole("alert").textContent).toBe("It can't be used: it is torn");
  const bad = within(screen.getByText("Bad").closest("li") as HTMLElement);
  expect((bad.getByRole("button", { name: "Enable Bad" }) as HTMLButtonElement).disabled).toBe(true);
});

test("a pack is enabled behind the others, moved up and disabled", async () => {
  const told = await room();
  const user = userEvent.setup();
  const last = (packs: readonly string[]) =>
    vi.waitFor(() => expect(told.at(-1)).toEqual({ packs, version: 3 }));
  await user.click(screen.getByRole("button", { name: "Enable Third" }));
  await last(["first", "second", "third"]);
  await user.click(await screen.findByRole("button", { name: "Move Second up" }));
  await last(["second", "first"]);
  await user.click(await screen.findByRole("button", { name: "Disable First" }));
  await last(["second"]);
});
