import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { violations } from "../../../testing/axe";
import { type Asked, gatewayAnswering } from "../../../testing/gateway";
import type { Offered } from "../api/requests";
import { ChannelForm } from "./ChannelForm";

type Input = Offered["inputs"][number];

const input = (name: string, label: string, more: Partial<Input> = {}): Input => ({
  name,
  label,
  help: "",
  hint: "",
  type: "text",
  format: null,
  letters: null,
  options: null,
  required: true,
  default: null,
  pattern: "",
  ...more,
});

/** Kinds that nothing in the page knows. */
const OFFERED: Offered[] = [
  {
    kind: "pager",
    title: "Pager",
    by_hand: true,
    inputs: [
      input("url", "Address", { format: "uri", hint: "https://pager.example" }),
      input("port", "Port", { type: "integer", required: false, default: 7 }),
      input("key", "Key", { type: "secret", help: "From the pager's back." }),
      input("tone", "Tone", {
        type: "select",
        required: false,
        default: "low",
        options: [
          { value: "low", label: "A low one", help: "" },
          { value: "high", label: "A high one", help: "" },
        ],
      }),
    ],
  },
  { kind: "pigeon", title: "Pigeon", by_hand: true, inputs: [input("loft", "Loft")] },
  { kind: "web_push", title: "Browser", by_hand: false, inputs: [input("endpoint", "Push service")] },
];

const field = (label: string | RegExp) => screen.getByLabelText<HTMLInputElement>(label);

/** What is said below a field. */
const said = (label: string | RegExp) =>
  (field(label).getAttribute("aria-describedby") ?? "")
    .split(" ")
    .map((id) => document.getElementById(id)?.textContent ?? "")
    .join(" ");

afterEach(() => vi.unstubAllGlobals());

test("a kind that the page doesn't know is drawn, filled in and sent by its declaration", async () => {
  const user = userEvent.setup();
  const asked: Asked[] = gatewayAnswering(() => Response.json({ name: "p", secret: null }));
  const onDone = vi.fn();
  const { container } = render(<ChannelForm offered={OFFERED} onDone={onDone} />);

  const by = screen.getByLabelText("By");
  expect([...by.querySelectorAll("option")].map((one) => one.textContent)).toEqual(["Pager", "Pigeon"]);
  expect(field(/^Key/).type).toBe("password");
  expect(said(/^Key/)).toBe("From the pager's back.");
  expect(field(/^Address/).inputMode).toBe("url");
  expect(field("Port").value).toBe("7");
  expect(await violations(container)).toEqual([]);

  await user.type(field("Name"), "p");
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(said(/^Key/)).toContain("Fill this in");
  expect(asked).toEqual([]);

  await user.type(field(/^Address/), "https://pager.example/1");
  await user.type(field(/^Key/), "k");
  await user.selectOptions(field("Tone"), "A high one");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  expect(asked.map(({ method, path, body }) => ({ method, path, body }))).toEqual([
    {
      method: "PUT",
      path: "/notifications/channels/p",
      body: {
        target: { kind: "pager", url: "https://pager.example/1", port: 7, key: "k", tone: "high" },
        kinds: ["reminder", "question", "failure"],
        enabled: true,
      },
    },
  ]);
});

test("what the gateway says of a field stands at the field, until it is changed", async () => {
  const user = userEvent.setup();
  const problem = {
    kind: "invalid_request",
    detail: "Loft can't be this",
    errors: [{ where: "target/loft", message: "Loft can't be this" }],
  };
  gatewayAnswering(() => Response.json(problem, { status: 422 }));
  render(<ChannelForm offered={OFFERED} onDone={() => {}} />);
  await user.selectOptions(field("By"), "Pigeon");
  await user.type(field("Name"), "p");
  await user.type(field(/^Loft/), "x");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(said(/^Loft/)).toBe("Loft can't be this"));
  expect(field(/^Loft/).ariaInvalid).toBe("true");
  expect(screen.queryByRole("alert")).toBeNull();
  await user.type(field(/^Loft/), "y");
  expect(said(/^Loft/)).toBe("");
});
