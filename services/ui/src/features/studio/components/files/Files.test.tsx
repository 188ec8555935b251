import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { FileFacts } from "../../../../lib/wire";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { timeOf } from "../../../../testing/given";
import { Files } from "./Files";

afterEach(() => vi.unstubAllGlobals());

const file = (file_id: string, change: Partial<FileFacts> = {}): FileFacts => ({
  ...{ file_id, path: `${file_id}.bin`, media_type: "application/zip", size: 1200, version: 2 },
  ...{ agent_id: "main", scope: "session", session_id: "s_1", sha256: "aa", source: "tool", made_from: null },
  ...{ updated_at: timeOf(5), outside: [] },
  ...change,
});
const FILES = [file("f_1", { path: "out/report.bin" }), file("f_2", { scope: "agent", session_id: null })];
const VERSIONS = [6, 5].map((sequence) => ({
  ...{ version: sequence - 4, sequence, written_at: timeOf(sequence), actor: "agent", deleted: false },
  ...{ session_id: "s_1", call_id: "m1-00", causation: "4", replaced: null },
}));

function setUp(fileId: string | null) {
  const asked = gatewayAnswering(({ path, method }) => {
    if (method !== "GET") return Response.json(method === "DELETE" ? { deleted: true } : FILES[0]);
    if (path.includes("/versions")) return Response.json({ items: VERSIONS, next_cursor: null });
    if (path.includes("/files/f_1")) return Response.json(FILES[0]);
    return Response.json({ items: FILES, next_cursor: null, count: 2, bytes: 2400 });
  });
  const shown = render(<Files agentId="main" fileId={fileId} revision="1" titleOf={() => "Tea"} />);
  const writes = () =>
    asked.filter(({ method }) => method !== "GET").map(({ method, path }) => [method, path]);
  return { asked, writes, ...shown };
}

test("files stand in folders, with how large they are and who sees them", async () => {
  const { container } = setUp(null);
  const one = await screen.findByRole("link", { name: /report\.bin/ });
  expect(one.textContent).toMatch(/^report\.binv21 kB · Tea/);
  const folder = one.closest("details");
  expect(folder?.querySelector("summary")?.textContent).toBe("out1");
  expect(folder?.open).toBe(true);
  expect(screen.getByRole("link", { name: /f_2/ }).textContent).toContain("all chats");
  expect(screen.getByText("2 files, 2 kB")).toBeTruthy();
  expect(await violations(container)).toEqual([]);
});

test("a file can be downloaded, given to all chats, taken back and deleted", async () => {
  const { writes, container } = setUp("f_1");
  const shown = await screen.findByRole("article", { name: "File" });
  const download = await within(shown).findByRole("link", { name: /Download/ });
  expect(download.getAttribute("href")).toMatch(/files\/f_1\/content\?version=2$/);
  await userEvent.click(within(shown).getByRole("button", { name: /Give to all chats/ }));
  await vi.waitFor(() => expect(writes()).toEqual([["POST", "/agents/main/files/f_1:promote"]]));
  await userEvent.click(await within(shown).findByRole("button", { name: /Revert to 1/ }));
  await vi.waitFor(() => expect(writes().at(-1)).toEqual(["POST", "/agents/main/files/f_1:revert"]));
  expect(await violations(container)).toEqual([]);
  await userEvent.click(await within(shown).findByRole("button", { name: /Delete/ }));
  await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Delete" }));
  await vi.waitFor(() => expect(writes().at(-1)).toEqual(["DELETE", "/agents/main/files/f_1"]));
});

test("more pages are read behind what is shown, and what changes is read as far", async () => {
  const [first, second] = [
    { items: FILES, next_cursor: "f_2", count: 4, bytes: 4800 },
    { items: [file("f_3"), file("f_4")], next_cursor: null, count: 4, bytes: 4800 },
  ];
  const asked = gatewayAnswering(({ path }) => Response.json(path.includes("cursor=f_2") ? second : first));
  const shown = render(<Files agentId="main" fileId={null} revision="1" titleOf={() => "Tea"} />);
  await userEvent.click(await screen.findByRole("button", { name: "Show more" }));
  expect(screen.queryByText("Loading…")).toBeNull();
  expect(screen.getByRole("link", { name: /f_2/ })).toBeTruthy();
  expect(await screen.findByRole("link", { name: /f_4/ })).toBeTruthy();
  expect(asked).toHaveLength(3);
  shown.rerender(<Files agentId="main" fileId={null} revision="2" titleOf={() => "Tea"} />);
  await vi.waitFor(() => expect(asked).toHaveLength(5), { timeout: 5_000 });
});

test("a file that may hold what a page said names the page", async () => {
  const from = {
    kind: "web",
    name: "tea.example",
    first_address: "7",
    session_id: "s_1",
    count: 1,
    last_address: null,
  } as const;
  gatewayAnswering(({ path }) =>
    Response.json(
      path.includes("/versions") ? { items: VERSIONS, next_cursor: null } : file("f_1", { outside: [from] }),
    ),
  );
  render(<Files agentId="main" fileId="f_1" revision="1" titleOf={() => "Tea"} />);
  const shown = await screen.findByText(/With material from/);
  expect(shown.textContent).toBe("With material from tea.example (the web)");
});
