import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { ModelTest, Setting } from "../../../../lib/wire";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { ModelChecks, ServerModels } from "./Models";

afterEach(() => vi.unstubAllGlobals());

const TESTED: ModelTest = {
  ...{
    ok: true,
    model: "openai/x",
    server: "http://127.0.0.1:1/v1",
    said: null,
    problem: null,
    failure: null,
  },
  ...{ ms: 10, tokens: null, cost_micros: null, context_window: null },
};

function level(name: string, locked = false): Setting {
  return {
    ...{ name, variable: `FOLDLINE_${name.toUpperCase()}`, group: "models", form: "text", choices: [] },
    ...{ may_be_empty: true, meaning: "what it means", allowed: "a text", value: null, is_set: false },
    ...{ source: "default", origin: null, locked, own: null },
    below: { value: null, is_set: false, source: "default" },
  };
}

function show(settings = [level("model"), level("model_low")]) {
  const onChoose = vi.fn();
  const values = () => ({ model_base_url: "http://127.0.0.1:1/v1" });
  const shown = render(<ServerModels agentId="a1" settings={settings} values={values} onChoose={onChoose} />);
  return { ...shown, onChoose };
}

test("a model of the server is found and chosen for a level by keyboard alone", async () => {
  const models = [
    "openai/gemma-3",
    "openai/qwen-coder",
    ...Array.from({ length: 60 }, (_, n) => `openai/m${n}`),
  ];
  const asked = gatewayAnswering(() => Response.json({ ...TESTED, models }));
  const { container, onChoose } = show();
  await userEvent.tab();
  await userEvent.keyboard("{Enter}");
  expect(await screen.findByText("http://127.0.0.1:1/v1 has 62 models.")).toBeTruthy();
  expect(asked.at(-1)).toMatchObject({
    path: "/agents/a1/settings:test-model",
    body: { level: null, wants: "list", values: { model_base_url: "http://127.0.0.1:1/v1" } },
  });
  const list = () => within(screen.getByRole("list", { name: "Models" })).getAllByRole("listitem");
  expect(list()).toHaveLength(50);
  expect(screen.getByText("The first 50 of 62: type to find the others.")).toBeTruthy();
  expect(await violations(container)).toEqual([]);
  await userEvent.tab();
  expect(screen.getByRole("searchbox", { name: "Find a model" })).toBe(document.activeElement);
  await userEvent.keyboard("QWEN{Enter}");
  expect(list().map((one) => one.textContent)).toEqual(["openai/qwen-coder"]);
  await userEvent.tab();
  await userEvent.selectOptions(
    screen.getByRole("combobox", { name: "Choose it for" }),
    "Model for simple work (low)",
  );
  await userEvent.tab();
  await userEvent.keyboard("{Enter}");
  expect(onChoose.mock.calls).toEqual([["model_low", "openai/qwen-coder"]]);
  expect(screen.getByText(/qwen-coder stands in “Model for simple work \(low\)” now/)).toBeTruthy();
});

test.each([
  [{ models: [] }, /has no models: load or pull one there/],
  [{ ok: false, problem: "It gives no list of models: it answered 401" }, /it answered 401/],
])("a server without a list says so", async (more, words) => {
  gatewayAnswering(() => Response.json({ ...TESTED, ...more }));
  show();
  await userEvent.click(screen.getByRole("button", { name: "List the server’s models" }));
  expect(await screen.findByText(words)).toBeTruthy();
  expect(screen.queryByRole("list")).toBeNull();
});

test("a refusal is told, and the server can be asked again", async () => {
  gatewayAnswering(() => Response.json({ kind: "no_list", detail: "It has no list." }, { status: 422 }));
  show();
  await userEvent.click(screen.getByRole("button", { name: "List the server’s models" }));
  expect((await screen.findByRole("alert")).textContent).toContain("It has no list.");
  expect(screen.getByRole("button", { name: "List the server’s models" }).ariaDisabled).not.toBe("true");
});

test("a model that the environment sets can’t be chosen", async () => {
  gatewayAnswering(() => Response.json({ ...TESTED, models: ["openai/x"] }));
  show([level("model", true), level("model_low")]);
  await userEvent.click(screen.getByRole("button", { name: "List the server’s models" }));
  const select = await screen.findByRole("combobox", { name: "Choose it for" });
  expect(
    within(select)
      .getAllByRole("option")
      .map((one) => one.textContent),
  ).toEqual(["Model for simple work (low)"]);
});

test("checks are a table with words for each, and say whether an agent can work with the model", async () => {
  const checks = [
    { name: "chat", ok: true, needed: true, words: "answers" },
    { name: "picture", ok: false, needed: false, words: "refused it" },
    { name: "cache", ok: null, needed: false, words: "its server doesn’t tell" },
  ];
  const { container, rerender } = render(<ModelChecks test={{ ...TESTED, checks }} />);
  expect(screen.getByText("openai/x at http://127.0.0.1:1/v1 has all that an agent needs.")).toBeTruthy();
  const rows = screen.getAllByRole("row").map((one) => one.textContent);
  expect(rows).toEqual([
    ...["CheckResultWhat it did", "chat needed✓ yesanswers", "picture✗ norefused it"],
    "cache? unknownits server doesn’t tell",
  ]);
  expect(await violations(container)).toEqual([]);
  rerender(<ModelChecks test={{ ...TESTED, ok: false, checks }} />);
  expect(screen.getByText(/lacks something that an agent needs/)).toBeTruthy();
});
