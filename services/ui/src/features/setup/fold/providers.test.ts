import { expect, test } from "vitest";
import { missing, NOTHING_YET, OWN, settingsOf, withProvider } from "./providers";

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
