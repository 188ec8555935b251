import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { timeOf } from "../../../../testing/given";
import type { Thing } from "../../api/things";
import { pagedKind } from "../../fold/shelves";
import { ThingEditor } from "./ThingEditor";

afterEach(() => {
  vi.unstubAllGlobals();
  sessionStorage.clear();
});

const PLACE = { agentId: "a1", kind: pagedKind("skill"), name: "tea" };

/** The skill at a version, described so. */
const skill = (version: number, description: string): Thing => ({
  ...{
    version,
    sequence: version,
    written_at: timeOf(version),
    actor: "agent",
    session_id: null,
    call_id: null,
  },
  value: { description, tags: ["hot"], content: "Boil.", enabled: true },
});

function answering(response: Response) {
  return gatewayAnswering(() => response);
}

const rewrite = async (text: string) => {
  await userEvent.clear(screen.getByLabelText("Description"));
  await userEvent.paste(text);
};
const save = () => screen.getByRole<HTMLButtonElement>("button", { name: "Save" });

test("what was written is saved over the version that was read", async () => {
  const asked = answering(Response.json({}));
  const onDone = vi.fn();
  const { container } = render(<ThingEditor place={PLACE} thing={skill(3, "Tea.")} onDone={onDone} />);
  expect(save().disabled).toBe(true);
  await rewrite("Good tea.");
  expect(await violations(container)).toEqual([]);
  await userEvent.click(save());
  await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  expect(asked).toMatchObject([{ method: "PUT", path: "/agents/a1/skills/tea" }]);
  expect(asked[0]?.body).toEqual({
    ...{ description: "Good tea.", tags: ["hot"], content: "Boil.", version: 3 },
  });
});

test("a refusal stands at the part that it is about, and nothing is lost", async () => {
  const problem = { kind: "invalid_request", detail: "it is too long", path: "/description" };
  answering(Response.json(problem, { status: 422 }));
  render(<ThingEditor place={PLACE} thing={skill(3, "Tea.")} onDone={vi.fn()} />);
  await rewrite("Long.");
  await userEvent.click(save());
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toBe("it is too long");
  const field = screen.getByLabelText<HTMLTextAreaElement>("Description");
  expect([field.getAttribute("aria-describedby"), field.value]).toEqual([alert.id, "Long."]);
});

test("what changes meanwhile is shown, and overwritten only if one says so", async () => {
  const asked = answering(Response.json({}));
  const { rerender } = render(<ThingEditor place={PLACE} thing={skill(3, "Tea.")} onDone={vi.fn()} />);
  await rewrite("Mine.");
  rerender(<ThingEditor place={PLACE} thing={skill(4, "Theirs.")} onDone={vi.fn()} />);
  expect(screen.getByRole("alert").textContent).toContain("+ Theirs.");
  expect(save().disabled).toBe(true);
  await userEvent.click(screen.getByRole("button", { name: /^Keep mine/ }));
  await userEvent.click(save());
  const written = () => asked.filter(({ method }) => method !== "GET"); // lists may be read in between
  await waitFor(() => expect(written()).toHaveLength(1));
  expect(written()[0]?.body).toMatchObject({ description: "Mine.", version: 4 });
});

test("one can take what the other wrote", async () => {
  const { rerender } = render(<ThingEditor place={PLACE} thing={skill(3, "Tea.")} onDone={vi.fn()} />);
  await rewrite("Mine.");
  rerender(<ThingEditor place={PLACE} thing={skill(4, "Theirs.")} onDone={vi.fn()} />);
  await userEvent.click(screen.getByRole("button", { name: /^Take that/ }));
  expect(screen.getByLabelText<HTMLTextAreaElement>("Description").value).toBe("Theirs.");
  expect(screen.queryByRole("alert")).toBeNull();
});

test("what was not saved is there again, with what it was written over; cancelled, it is gone", async () => {
  const onDone = vi.fn();
  const first = render(<ThingEditor place={PLACE} thing={skill(3, "Tea.")} onDone={onDone} />);
  await rewrite("Mine.");
  first.unmount();
  const again = render(<ThingEditor place={PLACE} thing={skill(4, "Theirs.")} onDone={onDone} />);
  expect(screen.getByLabelText<HTMLTextAreaElement>("Description").value).toBe("Mine.");
  expect(screen.getByRole("alert").textContent).toContain("It is at version 4 now");
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  again.unmount();
  render(<ThingEditor place={PLACE} thing={skill(4, "Theirs.")} onDone={onDone} />);
  expect(screen.getByLabelText<HTMLTextAreaElement>("Description").value).toBe("Theirs.");
});

test("what was saved is not kept as a draft", async () => {
  answering(Response.json({}));
  const onDone = vi.fn();
  const { unmount } = render(<ThingEditor place={PLACE} thing={skill(3, "Tea.")} onDone={onDone} />);
  await rewrite("Good tea.");
  await userEvent.click(save());
  await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  unmount();
  expect(sessionStorage).toHaveLength(0);
});
