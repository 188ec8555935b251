import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { violations } from "../../../../testing/axe";
import type { LiveAnswer } from "../../fold/view";
import { StillToCome } from "./LiveMessage";

const live: LiveAnswer = {
  callId: "m1",
  attempt: 1,
  next: 0,
  text: "",
  thinking: "",
  tools: [],
  gaps: false,
  retrying: null,
  promptRead: null,
};
const bar = () => screen.queryByRole("progressbar");

test("a long prompt shows how much of it is read, until the first word", async () => {
  const { container, rerender } = render(<StillToCome live={live} />);
  expect(container.querySelector(".dots")).not.toBeNull();
  rerender(<StillToCome live={{ ...live, promptRead: 0 }} />);
  expect(bar(), "it flickers where a prompt is read at once").toBeNull();
  rerender(<StillToCome live={{ ...live, promptRead: 40 }} />);
  const shown = await screen.findByRole(
    "progressbar",
    { name: "Reading the prompt, 40 %" },
    { timeout: 30_000 },
  );
  expect(shown).toHaveProperty("value", 40);
  expect(container.textContent).toBe("Reading the prompt, 40 % ");
  expect(await violations(container)).toEqual([]);
  rerender(<StillToCome live={{ ...live, thinking: "Hm" }} />);
  expect(bar()).toBeNull();
  expect(container.querySelector(".dots")).not.toBeNull();
});
