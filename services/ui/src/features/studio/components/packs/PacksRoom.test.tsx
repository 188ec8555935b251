import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { AgentPack, AgentPacks } from "../../api/settings";
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
      switched_off_by: null,
    },
  ],
  brings: [{ kind: "schedule", name: "Tidy up" }],
  settings: null,
};
const FOUND: AgentPacks = {
  version: 3,
  sequence: 9,
  written_at: null,
  actor: "user",
  session_id: null,
  call_id: null,
  outside: [],
  extensions: [
    {
      kind: "channel",
      name: "pager",
      distribution: "foldline-pager 1.0",
      problem: "it names no `sender`",
      needs_restart: false,
    },
    { kind: "door", name: "lines", distribution: "foldline-lines 1.0", problem: null, needs_restart: false },
    {
      kind: "service",
      name: "telex",
      distribution: "foldline-telex 1.0",
      problem: null,
      needs_restart: true,
    },
  ],
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
    {
      ...PACK,
      name: "third",
      title: "Third",
      enabled: false,
      settings: {
        json_schema: {
          type: "object",
          properties: { off: { type: "array", items: { type: "string" } }, memory: { type: "boolean" } },
        },
        fields: [
          {
            name: "off",
            label: "off",
            help: "One per line.",
            type: "lines",
            options: null,
            required: false,
            default: [],
          },
          {
            name: "memory",
            label: "memory",
            help: "",
            type: "checkbox",
            options: null,
            required: false,
            default: true,
          },
        ],
        values: { off: ["notes_*"] },
      },
    },
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
    vi.waitFor(() => expect(told.at(-1)).toEqual({ packs, version: 3, settings: {} }));
  await user.click(screen.getByRole("button", { name: "Enable Third" }));
  await last(["first", "second", "third"]);
  await user.click(await screen.findByRole("button", { name: "Move Second up" }));
  await last(["second", "first"]);
  await user.click(await screen.findByRole("button", { name: "Disable First" }));
  await last(["second"]);
});

test("what a pack lets people set is shown, and what differs from its defaults is saved", async () => {
  const told = await room();
  const user = userEvent.setup();
  await user.click(screen.getByText("Settings"));
  const off = screen.getByLabelText("off") as HTMLTextAreaElement;
  expect(off.value).toBe("notes_*");
  await user.type(off, "\ncalculator");
  await user.click(screen.getByRole("button", { name: "Save" }));
  const packs = ["first", "second"];
  const last = (values: unknown) =>
    vi.waitFor(() => expect(told.at(-1)).toEqual({ packs, version: 3, settings: { third: values } }));
  await last({ off: ["notes_*", "calculator"] });
  await user.clear(screen.getByLabelText("off"));
  await user.click(screen.getByLabelText("memory"));
  await user.click(screen.getByRole("button", { name: "Save" }));
  await last({ memory: false });
});

test("what else is installed is listed, with what is wrong with it", async () => {
  vi.spyOn(window, "fetch").mockImplementation(async () => Response.json(FOUND));
  render(<PacksRoom agentId="main" revision="1" />);
  const extensions = await screen.findByRole("region", { name: "Extensions" });
  const lines = within(extensions).getAllByRole("listitem");
  expect(lines.map((one) => one.textContent)).toEqual([
    "pager (channel, foldline-pager 1.0) can't be used: it names no `sender`",
    "lines (door, foldline-lines 1.0)",
    "telex (service, foldline-telex 1.0) is installed; restart Foldline to use it",
  ]);
});
