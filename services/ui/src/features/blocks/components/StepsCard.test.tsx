import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Shown } from "../../../lib/shown";
import { violations } from "../../../testing/axe";
import { toolCall } from "../../../testing/given";
import { StepsCard } from "./StepsCard";

const plain = { help: "", options: null, required: false, default: null };
const STORES = [
  { value: "pg", label: "Postgres", help: "Many writers" },
  { value: "sqlite", label: "SQLite", help: "Zero-config" },
];
const SHOW = {
  kind: "user_input",
  title: "New project",
  description: "What should it be?",
  steps: [
    {
      title: "Name",
      description: "How people call it",
      fields: [
        { ...plain, name: "name", label: "Name", type: "text", required: true },
        { ...plain, name: "size", label: "Size", type: "integer", default: 3 },
      ],
    },
    {
      title: null,
      description: null,
      fields: [
        { ...plain, name: "store", label: "Store", type: "cards", options: STORES, required: true },
        { ...plain, name: "also", label: "Also", type: "many", options: STORES },
        { ...plain, name: "tags", label: "Tags", type: "lines", help: "One a line" },
        { ...plain, name: "open", label: "Open", type: "checkbox" },
      ],
    },
  ],
  answer_schema: {
    type: "object",
    properties: {
      name: { type: "string", minLength: 1, maxLength: 20 },
      size: { type: "integer", minimum: 1, default: 3 },
      store: { enum: ["pg", "sqlite"] },
      also: { type: "array", items: { enum: ["pg", "sqlite"] } },
      tags: { type: "array", items: { type: "string" } },
      open: { type: "boolean" },
    },
    required: ["name", "store"],
    additionalProperties: false,
  },
};

function given(more: Partial<Shown> = {}) {
  const onAnswer = vi.fn();
  const call = toolCall({ tool: "request_user_input", status: "pending", show: SHOW, result: null });
  const props = { call, sessionId: "s_1", agentId: "default", answering: undefined, onAnswer, ...more };
  return { onAnswer, ...render(<StepsCard {...props} />) };
}

const click = (name: string) => userEvent.click(screen.getByRole("button", { name }));

test("a step must be right before the next, and all of them are one answer", async () => {
  const { onAnswer, container } = given();
  expect(screen.getByText(/Step 1 of 2/)).toBeTruthy();
  await click("Next");
  expect(screen.getByText("Fill this in.")).toBeTruthy();
  expect(document.activeElement).toBe(screen.getByLabelText(/^Name/));
  await userEvent.type(screen.getByLabelText(/^Name/), "Ark");
  await userEvent.clear(screen.getByLabelText("Size"));
  await userEvent.type(screen.getByLabelText("Size"), "2.5");
  await click("Next");
  expect(screen.getByText(/whole number/)).toBeTruthy();
  expect(await violations(container)).toEqual([]);
  await userEvent.clear(screen.getByLabelText("Size"));
  await userEvent.type(screen.getByLabelText("Size"), "2{Enter}");
  expect(screen.getByText(/Step 2 of 2/)).toBeTruthy();
  await click("Submit");
  expect(screen.getByText("Choose one.")).toBeTruthy();
  expect(onAnswer).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("radio", { name: /Postgres/ }));
  for (const box of [/Postgres/, /SQLite/])
    await userEvent.click(screen.getByRole("checkbox", { name: box }));
  await userEvent.click(screen.getByRole("checkbox", { name: /Postgres/ }));
  await userEvent.type(screen.getByLabelText("Tags"), "a{Enter}{Enter}b");
  expect(await violations(container)).toEqual([]);
  await click("Submit");
  expect(onAnswer).toHaveBeenCalledWith({
    action: "submit",
    data: { name: "Ark", size: 2, store: "pg", also: ["sqlite"], tags: ["a", "b"], open: false },
  });
});

test("what stands in a step stays there while people go back and forth", async () => {
  given();
  await userEvent.type(screen.getByLabelText(/^Name/), "Ark");
  await click("Next");
  await userEvent.click(screen.getByRole("radio", { name: /SQLite/ }));
  await click("Back");
  expect((screen.getByLabelText(/^Name/) as HTMLInputElement).value).toBe("Ark");
  await click("Next");
  expect((screen.getByRole("radio", { name: /SQLite/ }) as HTMLInputElement).checked).toBe(true);
});

test("what the gateway refuses is said at its field, in its step", async () => {
  const answering = { state: "failed", problem: "no such store", path: "/data/store" } as const;
  given({ answering });
  expect(screen.getByText(/Step 2 of 2/)).toBeTruthy();
  expect(screen.getAllByText("no such store").length).toBe(2);
});

test("it can be dismissed", async () => {
  const { onAnswer } = given();
  await click("Dismiss without answering");
  expect(onAnswer).toHaveBeenCalledWith({ action: "dismiss" });
});

test("what was answered is shown, and can't be changed", () => {
  const result = { name: "Ark", size: 2, store: "sqlite", also: ["pg"] };
  const call = toolCall({ tool: "request_user_input", status: "completed", show: SHOW, result });
  given({ call });
  expect((screen.getByLabelText("Size") as HTMLInputElement).value).toBe("2");
  expect((screen.getByRole("radio", { name: /SQLite/ }) as HTMLInputElement).checked).toBe(true);
  expect((screen.getByLabelText(/^Name/) as HTMLInputElement).matches(":disabled")).toBe(true);
  expect(screen.queryByRole("button")).toBeNull();
});

test("in the next step the keyboard is at the chosen card, not at the first", async () => {
  const [name, where] = SHOW.steps;
  const chosen = where?.fields.map((one) => ({
    ...one,
    default: one.name === "store" ? "sqlite" : one.default,
  }));
  const show = { ...SHOW, steps: [name, { ...where, fields: chosen }] };
  given({ call: toolCall({ tool: "request_user_input", status: "pending", show, result: null }) });
  await userEvent.type(screen.getByLabelText(/Name/), "Ark");
  await click("Next");
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByRole("radio", { name: /SQLite/ })));
});

const SERVERS = {
  ...SHOW,
  kind: "mcp_input",
  title: "The MCP server trips asks you",
  description: "",
  server: "trips",
  round: 1,
  steps: [{ title: null, description: "# Where to?", fields: SHOW.steps[0]?.fields }],
};

function asks(show: Record<string, unknown>) {
  const call = toolCall({ tool: "trips__book", status: "pending", show, result: null });
  return given({ call });
}

test("a server's words are said to be its own, and stand as they are", async () => {
  const { onAnswer, container } = asks(SERVERS);
  expect(screen.getByText("# Where to?").tagName).toBe("P");
  expect(screen.getByText(/words of the MCP server/).textContent).toContain("trips");
  await userEvent.type(screen.getByRole("textbox", { name: /Name/ }), "x");
  await click("Give it to trips");
  expect(onAnswer).toHaveBeenCalledWith({ action: "submit", data: { name: "x", size: 3 } });
  expect(await violations(container)).toEqual([]);
});

test("a server can be told no, which is not closing it", async () => {
  const { onAnswer } = asks(SERVERS);
  await click("Decline");
  expect(onAnswer).toHaveBeenLastCalledWith({ action: "decline" });
  await click("Dismiss without answering");
  expect(onAnswer).toHaveBeenLastCalledWith({ action: "dismiss" });
});

test("an address is shown whole, with its host, and opened by nobody but the person", async () => {
  const url = "https://pay.example.org/one?for=trip";
  const opened = vi.spyOn(window, "open");
  const step = { title: null, description: "Pay.", fields: [], url, host: "pay.example.org" };
  const schema = { type: "object", properties: {}, required: [] };
  const { onAnswer, container } = asks({ ...SERVERS, steps: [step], answer_schema: schema });
  expect(screen.getByText(url).tagName).toBe("CODE");
  expect(screen.getByText("pay.example.org").tagName).toBe("STRONG");
  const link = screen.getByRole("link", { name: "Open it in a new tab" });
  expect(link.getAttribute("href")).toBe(url);
  expect(link.getAttribute("rel")).toBe("noopener noreferrer nofollow");
  await click("I have done it");
  expect(onAnswer).toHaveBeenCalledWith({ action: "submit", data: {} });
  expect(opened).not.toHaveBeenCalled();
  expect(await violations(container)).toEqual([]);
});
