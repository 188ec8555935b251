import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { violations } from "../../../testing/axe";
import { type Asked, gatewayAnswering } from "../../../testing/gateway";
import { ConnectModel } from "./ConnectModel";

afterEach(() => vi.unstubAllGlobals());

const TRIED = {
  ok: true,
  model: "openai/gpt-5-mini",
  server: null,
  said: "Hello",
  problem: null,
  failure: null,
  ms: 820,
  tokens: 12,
  cost_micros: 3,
  context_window: null,
};
const REFUSED = { ...TRIED, ok: false, said: null, problem: "The key is wrong: check it.", failure: "key" };

/** A gateway whose test calls come to these, one after the other; and the dialog, open. */
async function opened(...tests: object[]) {
  const asked: Asked[] = [];
  gatewayAnswering((one) => {
    asked.push(one);
    return Response.json(one.path.endsWith("test-model") ? tests.shift() : {});
  });
  const onConnected = vi.fn();
  render(<ConnectModel onConnected={onConnected} />);
  await userEvent.click(screen.getByRole("button", { name: "Connect a model" }));
  return { asked, onConnected, dialog: await screen.findByRole("dialog") };
}

test("provider, model and key are two steps; what answered is kept, and the focus returns", async () => {
  const { asked, onConnected, dialog } = await opened(TRIED);
  expect(await violations(dialog)).toEqual([]);
  await userEvent.click(screen.getByRole("radio", { name: "Anthropic" }));
  expect(screen.getByLabelText<HTMLInputElement>("Model").value).toMatch(/^anthropic\//);
  await userEvent.click(screen.getByRole("radio", { name: "OpenAI" }));
  await userEvent.click(screen.getByRole("button", { name: "Next" }));
  await userEvent.type(screen.getByLabelText("Key for OpenAI"), "sk-1{Enter}");
  expect((await screen.findByText(/answered in 820 ms/)).textContent).toContain("openai/gpt-5-mini");
  const values = { model: "openai/gpt-5-mini", model_base_url: "", openai_api_key: "sk-1" };
  expect(asked.map(({ path, body }) => [path, body])).toEqual([
    ["/settings:test-model", { level: null, values }],
    ["/settings", { values, versions: {} }],
  ]);
  await userEvent.click(screen.getByRole("button", { name: "Begin" }));
  expect(onConnected).toHaveBeenCalledOnce();
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Connect a model" }));
});

test("a provider of the longer list is chosen by name, and asked at its own address", async () => {
  const { asked, dialog } = await opened(TRIED);
  await userEvent.click(screen.getByRole("radio", { name: "Another provider" }));
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Provider" }), "OpenRouter");
  expect(await violations(dialog)).toEqual([]);
  await userEvent.type(screen.getByLabelText("Model"), "meta/llama");
  await userEvent.click(screen.getByRole("button", { name: "Next" }));
  await userEvent.type(screen.getByLabelText("Key for OpenRouter"), "sk-or-1{Enter}");
  await screen.findByText(/answers from now on/);
  expect(asked.at(-1)?.body).toEqual({
    values: {
      model: "openrouter/meta/llama",
      model_base_url: "https://openrouter.ai/api/v1",
      model_api_key: "sk-or-1",
    },
    versions: {},
  });
});

test("a model that doesn't answer is not kept: it says why, and one can go back", async () => {
  const { asked, onConnected } = await opened(REFUSED, TRIED);
  await userEvent.click(screen.getByRole("radio", { name: "Your own server" }));
  await userEvent.click(screen.getByRole("button", { name: "Next" }));
  expect(screen.getByRole("alert").textContent).toBe("Name the model.");
  await userEvent.type(screen.getByLabelText("Model"), "openai/mine");
  await userEvent.click(screen.getByRole("button", { name: "Next" }));
  expect(screen.getByRole("alert").textContent).toContain("address");
  await userEvent.type(screen.getByLabelText("Address"), "http://127.0.0.1:9");
  await userEvent.click(screen.getByRole("button", { name: "Next" }));
  await userEvent.click(screen.getByRole("button", { name: "Test and use it" }));
  expect((await screen.findByRole("alert")).textContent).toContain(
    "The key is wrong: check it. Nothing was stored",
  );
  expect(asked.map(({ path }) => path)).toEqual(["/settings:test-model"]);
  expect(onConnected).not.toHaveBeenCalled();
  await userEvent.type(screen.getByLabelText("Key, if it wants one"), "k");
  expect(screen.queryByRole("alert")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Test and use it" }));
  await screen.findByText(/answers from now on/);
  expect(asked.at(-1)?.body).toEqual({
    values: { model: "openai/mine", model_base_url: "http://127.0.0.1:9", model_api_key: "k" },
    versions: {},
  });
});
