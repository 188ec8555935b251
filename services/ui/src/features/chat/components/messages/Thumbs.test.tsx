import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { useAction } from "../../../../lib/hooks/useAction";
import { violations } from "../../../../testing/axe";
import type { Rating } from "../../fold/view";
import { Thumbs, WhyRated } from "./Thumbs";

function Rated(props: { rating: Rating | null; onRate: (rating: Rating | null) => Promise<unknown> }) {
  const saving = useAction();
  return (
    <>
      <WhyRated {...props} saving={saving} />
      <Thumbs {...props} saving={saving} />
    </>
  );
}

const pressed = () =>
  screen.getAllByRole("button", { pressed: true }).map((one) => one.ariaLabel ?? one.title);

test("an answer is rated by keyboard, rated otherwise, and the rating taken back", async () => {
  const onRate = vi.fn(async () => undefined);
  const { rerender, container } = render(<Rated rating={null} onRate={onRate} />);
  expect(screen.queryAllByRole("button", { pressed: true })).toEqual([]);
  await userEvent.tab();
  await userEvent.keyboard("{Enter}");
  expect(onRate).toHaveBeenLastCalledWith({ value: "up", text: null });
  rerender(<Rated rating={{ value: "up", text: null }} onRate={onRate} />);
  expect(pressed()).toEqual(["Good answer"]);
  screen.getByRole("button", { name: "Bad answer" }).focus();
  await userEvent.keyboard(" ");
  expect(onRate).toHaveBeenLastCalledWith({ value: "down", text: null });
  rerender(<Rated rating={{ value: "down", text: null }} onRate={onRate} />);
  await userEvent.keyboard(" ");
  expect(onRate).toHaveBeenLastCalledWith(null);
  expect(await violations(container)).toEqual([]);
});

test("what is wrong with it is said, edited and shown; Escape leaves it", async () => {
  const onRate = vi.fn(async () => undefined);
  const { rerender, container } = render(<Rated rating={{ value: "down", text: null }} onRate={onRate} />);
  await userEvent.click(screen.getByRole("button", { name: "Say why" }));
  expect(document.activeElement).toBe(screen.getByLabelText(/Why is it bad/));
  await userEvent.keyboard("Wrong city{Enter}");
  expect(onRate).toHaveBeenLastCalledWith({ value: "down", text: "Wrong city" });
  rerender(<Rated rating={{ value: "down", text: "Wrong city" }} onRate={onRate} />);
  screen.getByText("You said about it: Wrong city");
  await userEvent.click(screen.getByRole("button", { name: "Edit" }));
  expect(screen.getByLabelText<HTMLInputElement>(/Why is it bad/).value).toBe("Wrong city");
  expect(await violations(container)).toEqual([]);
  await userEvent.keyboard("{Escape}");
  screen.getByRole("button", { name: "Edit" });
  expect(onRate).toHaveBeenCalledTimes(1);
});

test("a rating that was not saved says so", async () => {
  render(<Rated rating={null} onRate={() => Promise.reject(new Error("gone"))} />);
  await userEvent.click(screen.getByRole("button", { name: "Good answer" }));
  expect((await screen.findByRole("alert")).textContent).toContain("Your rating was not saved");
});
