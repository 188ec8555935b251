import { expect, test } from "vitest";
import { offers, unready } from "./choosing";

const setting = (name: string, value: string | null, is_set = value !== null) => ({ name, value, is_set });
const SETTINGS = [
  setting("model", "openai/middle"),
  setting("model_low", "openai/small"),
  setting("model_medium", "openai/middle"),
  setting("model_high", "anthropic/large"),
  setting("openai_api_key", null, true),
  setting("anthropic_api_key", null),
];

test("the models of all levels are offered, each once, the usual one first", () => {
  expect(offers(SETTINGS)).toEqual([
    { model: null, words: "openai/middle (usual)" },
    { model: "openai/small", words: "openai/small (simple work)" },
    { model: "anthropic/large", words: "anthropic/large (hard work)" },
  ]);
  expect(offers([])).toEqual([{ model: null, words: "The usual one" }]);
});

test("a model whose provider's key isn't set is said not to answer, one that needs none is not", () => {
  expect(unready(SETTINGS, null)).toBeNull();
  expect(unready(SETTINGS, "anthropic/large")).toMatch(/^No key for anthropic is set, so anthropic\/large/);
  expect(unready(SETTINGS, "litellm/anthropic/large")).toContain("No key for anthropic");
  expect(unready(SETTINGS, "ollama_chat/llama")).toBeNull();
  expect(unready([setting("model", "demo")], null)).toBeNull();
});

test("a model with a server of its own may need no key, others of its provider do", () => {
  const own = [
    setting("model", "openai/mine"),
    setting("model_servers", "openai/a=http://127.0.0.1:1,openai/b=http://127.0.0.1:2/v1?x=1"),
    setting("openai_api_key", null),
  ];
  expect(unready(own, "openai/b")).toBeNull();
  expect(unready(own, "openai/c")).not.toBeNull();
  expect(unready(own, null)).not.toBeNull();
});

test("a server of one's own answers for its provider's models, and for no other's", () => {
  const own = [
    setting("model", "openai/mine"),
    setting("model_base_url", "http://127.0.0.1:1"),
    setting("openai_api_key", null),
    setting("anthropic_api_key", null),
  ];
  expect(unready(own, null)).toBeNull();
  expect(unready(own, "openai/other")).toBeNull();
  expect(unready(own, "anthropic/large")).not.toBeNull();
});
