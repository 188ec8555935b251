import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { MessageList } from "./MessageList";

test("messages that go are told in plain words", () => {
  const messages = [
    { sequence: 2, role: "assistant" as const, text: "## Tea\n\n- **Sencha** at [75 °C](https://a.org)" },
  ];
  render(<MessageList words="Goes" sign="−" messages={messages} />);
  expect(screen.getByRole("listitem").textContent).toBe("−Goes: Agent Tea Sencha at 75 °C");
});
