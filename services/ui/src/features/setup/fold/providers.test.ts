import { expect, test } from "vitest";
import { missing, NOTHING_YET, OTHERS, OWN, PROVIDERS, settingsOf, USUAL, withProvider } from "./providers";

test("a provider needs its model and its key, which goes with it", () => {
  const wanted = { ...withProvider(NOTHING_YET, "anthropic"), key: " sk-1 " };
  expect(missing(wanted)).toBeNull();
  expect(settingsOf(wanted)).toEqual({
    model: "anthropic/claude-sonnet-4-5",
    model_base_url: "",
    anthropic_api_key: "sk-1",
  });
  expect(withProvider(wanted, "openai").key).toBe("");
  expect(withProvider(wanted, "anthropic")).toBe(wanted);
});

test("a provider whose key is not a setting of its own is set with its address", () => {
  const wanted = { ...withProvider(NOTHING_YET, "openrouter"), key: "sk-or-1" };
  expect(missing(wanted)).toBe("Name the model.");
  expect(missing({ ...wanted, model: "llama" })).toContain("openrouter/");
  const whole = { ...wanted, model: "openrouter/meta/llama" };
  expect(missing(whole)).toBeNull();
  expect(settingsOf(whole)).toEqual({
    model: "openrouter/meta/llama",
    model_base_url: "https://openrouter.ai/api/v1",
    model_api_key: "sk-or-1",
  });
});

test("every provider is offered once, those with a model of their own first", () => {
  const offered = [...USUAL, ...OTHERS].map(({ id }) => id);
  expect(new Set(offered).size).toBe(offered.length);
  expect(offered).toHaveLength(PROVIDERS.length);
  expect(offered).toEqual(expect.arrayContaining(["openai", "openrouter", "huggingface", "moonshot"]));
});

test("a server of one's own needs its address, and may have no key", () => {
  const wanted = { ...withProvider(NOTHING_YET, OWN), model: "ollama_chat/llama3" };
  expect(missing(wanted)).toContain("address");
  const whole = { ...wanted, address: " http://127.0.0.1:11434 " };
  expect(missing(whole)).toBeNull();
  expect(settingsOf(whole)).toEqual({
    model: "ollama_chat/llama3",
    model_base_url: "http://127.0.0.1:11434",
  });
  expect(missing({ ...whole, model: " " })).toBe("Name the model.");
});
