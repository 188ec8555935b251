import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Shown } from "../../../lib/shown";
import { violations } from "../../../testing/axe";
import { toolCall } from "../../../testing/given";
import { BlocksCard, type DrawFrame } from "./BlocksCard";

const FORM = {
  type: "form",
  submitLabel: "Book",
  fields: [
    { name: "who", label: "Who", type: "text", options: null, required: true, default: null },
    { name: "nights", label: "Nights", type: "number", options: null, required: false, default: 2 },
  ],
};
const SCHEMA = {
  type: "object",
  properties: { who: { type: "string", minLength: 1 }, nights: { type: "number" } },
  required: ["who"],
  additionalProperties: false,
};
const show = (blocks: unknown[], more = {}) => ({ kind: "render_blocks", title: "Trip", blocks, ...more });

const drawFrame: DrawFrame = ({ name, code, props }) => (
  <p>{`${name} draws ${JSON.stringify(props)} by ${code}`}</p>
);

function given(shown: Record<string, unknown>, more: Partial<Shown> = {}) {
  const onAnswer = vi.fn();
  const call = toolCall({ tool: "render_blocks", status: "pending", show: shown, result: null });
  const props = { call, sessionId: "s_1", agentId: "default", answering: undefined, onAnswer, ...more };
  return { onAnswer, ...render(<BlocksCard {...props} drawFrame={drawFrame} />) };
}

test("a form is answered when nothing is wrong with it", async () => {
  const { onAnswer, container } = given(show([FORM], { answer_schema: SCHEMA }));
  await userEvent.click(screen.getByRole("button", { name: "Book" }));
  expect(onAnswer).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(screen.getByLabelText(/^Who/));
  expect(await violations(container)).toEqual([]);
  await userEvent.type(screen.getByLabelText(/^Who/), "Ada{Enter}");
  expect(onAnswer).toHaveBeenCalledWith({ action: "submit", data: { who: "Ada", nights: 2 } });
});

test("what the gateway refuses is said at its field, and can be mended", () => {
  const answering = { state: "failed", problem: "too many nights", path: "/data/nights" } as const;
  given(show([FORM], { answer_schema: SCHEMA }), { answering });
  expect(screen.getByLabelText("Nights").getAttribute("aria-invalid")).toBe("true");
  expect((screen.getByRole("button", { name: "Book" }) as HTMLButtonElement).disabled).toBe(false);
});

test("while an answer is on its way there is no other", () => {
  const answering = { state: "sending", problem: null, path: null } as const;
  given(show([FORM], { answer_schema: SCHEMA }), { answering });
  const buttons = screen.getAllByRole("button") as HTMLButtonElement[];
  expect(buttons.filter((button) => !button.disabled)).toEqual([]);
});

test("without a form it is dismissed", async () => {
  const { onAnswer } = given(show([{ type: "markdown", content: "Hi" }]));
  await userEvent.click(screen.getByRole("button", { name: "Done" }));
  expect(onAnswer).toHaveBeenCalledWith({ action: "dismiss" });
});

test("a submitted form shows what was submitted", () => {
  const result = { action: "submit", data: { who: "Ada", nights: 5 } };
  const call = toolCall({ status: "completed", show: show([FORM], { answer_schema: SCHEMA }), result });
  given({}, { call });
  expect((screen.getByLabelText("Nights") as HTMLInputElement).value).toBe("5");
  expect(screen.getByText("Submitted")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Book" })).toBeNull();
});

test("a long table is shown by pages and sorted by its headings", async () => {
  const data = Array.from({ length: 120 }, (_, n) => ({ n: (n * 7) % 120 }));
  const { container } = given(show([{ type: "table", columns: [{ key: "n", label: "N" }], data }]));
  expect(screen.getByText("Rows 1–50 of 120")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "N" }));
  const [, first] = within(screen.getByRole("table")).getAllByRole("row");
  expect(first?.textContent).toBe("0");
  await userEvent.click(screen.getByRole("button", { name: "Next rows" }));
  await userEvent.click(screen.getByRole("button", { name: "Next rows" }));
  expect(screen.getByText("Rows 101–120 of 120")).toBeTruthy();
  expect(await violations(container)).toEqual([]);
});

test("code with a fence in it stays code", () => {
  given(show([{ type: "code", language: "md", content: "```\ninner\n```\nafter" }]));
  expect(screen.getByLabelText("Code").textContent).toContain("after");
});

test("a block that can't be drawn leaves the others alone", () => {
  vi.spyOn(console, "error").mockReturnValue();
  given(
    show([
      { type: "table", columns: null, data: [] },
      { type: "markdown", content: "Still here" },
    ]),
  );
  expect(screen.getByText("Still here")).toBeTruthy();
});

test("the block of an extension is drawn in a frame, never in the page", () => {
  given(show([{ type: "frame", name: "gauge", code: "<Gauge />", props: { value: 7 } }]));
  expect(screen.getByText('gauge draws {"value":7} by <Gauge />')).toBeTruthy();
});
