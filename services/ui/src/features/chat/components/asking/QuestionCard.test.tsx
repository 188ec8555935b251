import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { toolCall } from "../../../../testing/given";
import { QuestionCard } from "./QuestionCard";

const SHOW = { kind: "ask_user", question: "Which city?", options: ["Oslo", "Bergen"] };
const ASKED = toolCall({ tool: "ask_user", status: "pending", show: SHOW, result: null });
const answered = (answer: string) => toolCall({ ...ASKED, status: "completed", result: { answer } });
const enabled = () =>
  screen.queryAllByRole("button").filter((button) => !(button as HTMLButtonElement).disabled);

test("an option is one press away", async () => {
  const onAnswer = vi.fn();
  const { container } = render(<QuestionCard call={ASKED} answering={undefined} onAnswer={onAnswer} />);
  await userEvent.click(screen.getByRole("button", { name: "Bergen" }));
  expect(onAnswer).toHaveBeenCalledWith("m1-00", { answer: "Bergen", from_options: true });
  expect(await violations(container)).toEqual([]);
});

test("any other answer can be written", async () => {
  const onAnswer = vi.fn();
  render(<QuestionCard call={ASKED} answering={undefined} onAnswer={onAnswer} />);
  await userEvent.type(screen.getByLabelText("Your answer"), " Oslo {Enter}");
  expect(onAnswer).toHaveBeenCalledWith("m1-00", { answer: "Oslo", from_options: false });
});

test("an empty answer is none", async () => {
  const onAnswer = vi.fn();
  render(<QuestionCard call={ASKED} answering={undefined} onAnswer={onAnswer} />);
  await userEvent.type(screen.getByLabelText("Your answer"), "  {Enter}");
  expect(onAnswer).not.toHaveBeenCalled();
});

test("an answered question shows its answer and takes no other", async () => {
  const { container } = render(
    <QuestionCard call={answered("Oslo")} answering={undefined} onAnswer={vi.fn()} />,
  );
  expect(screen.getByRole("button", { name: "Oslo" }).getAttribute("aria-pressed")).toBe("true");
  expect(enabled()).toEqual([]);
  expect(screen.queryByLabelText("Your answer")).toBeNull();
  expect(await violations(container)).toEqual([]);
});

test("an answer in the user's own words is shown", () => {
  render(<QuestionCard call={answered("Trondheim")} answering={undefined} onAnswer={vi.fn()} />);
  expect(screen.getByText("Trondheim")).toBeTruthy();
});

test("while the answer is on its way no second can be given", () => {
  const answering = {
    answer: { answer: "Oslo", from_options: true },
    state: "sending",
    problem: null,
    path: null,
  } as const;
  render(<QuestionCard call={ASKED} answering={answering} onAnswer={vi.fn()} />);
  expect(enabled()).toEqual([]);
});

test("an answer that did not get through says so and can be given again", () => {
  const answering = {
    answer: { answer: "Oslo", from_options: true },
    state: "failed",
    problem: "Cut.",
    path: null,
  } as const;
  render(<QuestionCard call={ASKED} answering={answering} onAnswer={vi.fn()} />);
  expect(screen.getByRole("alert").textContent).toBe("Cut.");
  expect(enabled().map((button) => button.textContent?.trim())).toContain("Oslo");
});

test("an expired question is closed and says why", () => {
  const error = { kind: "expired", message: "Nobody answered in time.", path: null, retryable: false };
  render(
    <QuestionCard call={{ ...ASKED, status: "cancelled", error }} answering={undefined} onAnswer={vi.fn()} />,
  );
  expect(screen.getByText(/Nobody answered in time/)).toBeTruthy();
  expect(enabled()).toEqual([]);
});
