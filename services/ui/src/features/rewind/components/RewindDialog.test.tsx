import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { RewindDialog } from "./RewindDialog";

const PREVIEW = {
  to: "9",
  at: 9,
  hidden: [{ sequence: 10, role: "user", text: "Paint it red" }],
  shown_again: [],
  agent: [],
  files: [],
  database: null,
  log_sequence: 20,
};
const WORDS = "No session engine has answered within 10 s. The request is recorded (event 21)";

test("while no engine answers, it says that the request is recorded, and can be closed", async () => {
  let sent = 0;
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "GET") return Response.json(PREVIEW);
    sent += 1;
    if (sent > 1) return new Promise(() => {});
    return Response.json({ kind: "unavailable", detail: WORDS, status: 503 }, { status: 503 });
  });
  const onClose = vi.fn();
  const place = { sessionId: "s_1", at: 9 };
  render(
    <RewindDialog place={place} undoes={undefined} onClose={onClose} onFork={vi.fn()} onRewind={vi.fn()} />,
  );
  await userEvent.click(await screen.findByRole("button", { name: "Rewind" }));
  expect((await screen.findByRole("alert")).textContent).toContain("The request is recorded");
  await vi.waitFor(() => expect(sent).toBe(2), { timeout: 10_000 });
  expect(screen.getByRole("button", { name: "Rewinding…" })).toHaveProperty("disabled", true);
  expect(screen.queryByRole("button", { name: "Cancel" })).toBeNull();
  const close = screen.getAllByRole("button", { name: "Close" });
  await userEvent.click(close[close.length - 1] as HTMLElement);
  expect(onClose).toHaveBeenCalledTimes(1);
});
