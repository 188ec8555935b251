import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { UserMessage } from "./UserMessage";

it.each([
  [null, null, "You"],
  ["desk", null, "Program desk"],
  ["telegram", "Anna", "Anna via telegram"],
])("says who spoke: program %s, person %s", (client, speaker, who) => {
  render(<UserMessage text="Hello" time={null} client={client} speaker={speaker} />);
  expect(screen.getByRole("article", { name: who }).textContent).toContain("Hello");
});
