import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { NO_STOPS } from "../fold/stops";
import { Scrubber } from "./Scrubber";

const STOPS = { ...NO_STOPS, events: [4, 5, 6], turns: [0], last: "6" };

test("until the events are read it can't be moved, and says so; then a key moves it", () => {
  const onMove = vi.fn();
  const { rerender } = render(<Scrubber stops={NO_STOPS} known="reading" index={0} onMove={onMove} />);
  const slider = screen.getByRole("slider");
  fireEvent.keyDown(slider, { key: "ArrowLeft" });
  expect(onMove).not.toHaveBeenCalled();
  expect(slider.getAttribute("aria-disabled")).toBe("true");
  expect(screen.getByRole("status").textContent).toBe("Reading the events…");
  for (const button of screen.getAllByRole("button")) expect(button).toHaveProperty("disabled", true);
  rerender(<Scrubber stops={STOPS} known="read" index={3} onMove={onMove} />);
  expect(slider.getAttribute("aria-disabled")).toBe("false");
  fireEvent.keyDown(slider, { key: "ArrowLeft" });
  expect(onMove).toHaveBeenCalledWith(2);
});

test("a mouse over it is told which event lies there, and what changed of the agent", () => {
  const mark = { kind: "tool", name: "dice", address: "5", deleted: false, session_id: "s_1" };
  const stops = { ...STOPS, changes: [{ index: 1, mark }] };
  render(<Scrubber stops={stops} known="read" index={3} onMove={() => {}} />);
  const slider = screen.getByRole("slider");
  const track = slider.querySelector(".scrub-track") as HTMLElement;
  track.getBoundingClientRect = () => ({ left: 0, width: 300 }) as DOMRect;
  slider.setPointerCapture = slider.releasePointerCapture = () => {};
  slider.hasPointerCapture = () => false;
  fireEvent.pointerMove(slider, { clientX: 100, pointerType: "mouse" });
  expect(slider.textContent).toBe("Event 5 · turn 1 Tool dice");
  fireEvent.pointerMove(slider, { clientX: 200, pointerType: "mouse" });
  expect(slider.textContent).toBe("Event 6 · turn 1");
  fireEvent.pointerLeave(slider);
  expect(slider.textContent).toBe("");
});

test("where the events can't be read, it says that", () => {
  render(<Scrubber stops={NO_STOPS} known="unreadable" index={0} onMove={() => {}} />);
  expect(screen.getByRole("status").textContent).toBe("The events can't be read.");
});
