import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { useStop } from "./useStop";

function Page({ isChild, stop }: { isChild: boolean; stop: () => void }) {
  const { onStop, asking } = useStop(isChild, stop);
  return (
    <main>
      <button type="button" onClick={onStop}>
        Stop
      </button>
      {asking}
    </main>
  );
}

const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));

test("Stop stops a chat at once", async () => {
  const stop = vi.fn();
  render(<Page isChild={false} stop={stop} />);
  await press("Stop");
  expect(stop).toHaveBeenCalledOnce();
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a sub-session ends by it: there it asks, and says so", async () => {
  const stop = vi.fn();
  render(<Page isChild stop={stop} />);
  await press("Stop");
  expect(stop).not.toHaveBeenCalled();
  expect(screen.getByRole("dialog").textContent).toContain("This ends the sub-session for good");
  expect(await violations(document.body)).toEqual([]);
  await press("Keep it running");
  expect(stop).not.toHaveBeenCalled();
  await press("Stop");
  await press("Stop it");
  expect(stop).toHaveBeenCalledOnce();
});
