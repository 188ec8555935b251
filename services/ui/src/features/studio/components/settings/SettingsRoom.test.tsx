import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { Setting, Settings } from "../../../../lib/wire";
import { violations } from "../../../../testing/axe";
import { type Asked, gatewayAnswering } from "../../../../testing/gateway";
import { SettingsRoom } from "./SettingsRoom";

afterEach(() => vi.unstubAllGlobals());

const WRITTEN = { sequence: 5, written_at: "2026-11-23T10:00:00Z", actor: "user" as const };
const NOBODY = { session_id: null, call_id: null };

function setting(name: string, more: Partial<Setting> = {}): Setting {
  return {
    ...{ name, variable: `FOLDLINE_${name.toUpperCase()}`, group: "limits", form: "number", choices: [] },
    ...{ may_be_empty: false, meaning: "what it means", allowed: "a number", value: 100, is_set: true },
    ...{ source: "default", origin: null, locked: false, own: null },
    below: { value: 100, is_set: true, source: "default" },
    ...more,
  };
}

const MODEL = setting("model", { group: "models", form: "text", value: "openai/demo" });
const KEY = setting("openai_api_key", {
  ...{ group: "keys", form: "secret", value: null, source: "installation" },
  own: { value: null, version: 1, ...WRITTEN, ...NOBODY },
  below: { value: null, is_set: false, source: "default" },
});
const LOCKED = setting("child_depth", {
  ...{ value: 7, source: "environment", origin: "FOLDLINE_CHILD_DEPTH", locked: true },
});

/** A gateway that has learned nothing of models. */
const answering = (answer: (asked: Asked) => Response) =>
  gatewayAnswering((asked) =>
    asked.path === "/model-adaptations" ? Response.json({ items: [], next_cursor: null }) : answer(asked),
  );

function answer(...settings: Setting[]): Settings {
  return {
    agent_id: null,
    items: settings,
    next_cursor: null,
    operator: [{ variable: "FOLDLINE_PORT", value: "8420", source: "default", meaning: "the port" }],
  };
}

const OWN = setting("token_limit", {
  ...{ value: 500, source: "installation" },
  own: { value: 500, version: 3, ...WRITTEN, ...NOBODY },
});

test("each says its value and where that comes from; what the environment says can't be typed", async () => {
  answering(() => Response.json(answer(MODEL, KEY, OWN, LOCKED)));
  const { container } = render(<SettingsRoom agentId="a1" revision="1" />);
  expect((await screen.findByLabelText<HTMLInputElement>("Tokens of a chat")).value).toBe("500");
  expect(screen.getByText(/Set for all agents, version 3/)).toBeTruthy();
  const locked = screen.getByLabelText<HTMLInputElement>("Depth of sub-sessions");
  expect(locked.disabled).toBe(true);
  expect(locked.placeholder).toBe("7");
  expect(screen.getByText(/Set by FOLDLINE_CHILD_DEPTH/)).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>("OpenAI").value).toBe("");
  expect(screen.getByText("FOLDLINE_PORT")).toBeTruthy();
  expect(await violations(container)).toEqual([]);
});

test("what is typed is sent together, with the versions that it was read at, and then shown as saved", async () => {
  const asked = answering(({ method }) =>
    Response.json(
      method === "PATCH" ? answer(setting("token_limit", { ...OWN, value: 9 })) : answer(OWN, LOCKED),
    ),
  );
  render(<SettingsRoom agentId="a1" revision="1" />);
  const field = await screen.findByLabelText("Tokens of a chat");
  await userEvent.clear(field);
  await userEvent.type(field, "9");
  await userEvent.click(screen.getByRole("button", { name: "Save limits of new chats" }));
  await waitFor(() => expect(asked.at(-1)?.method).toBe("PATCH"));
  expect(asked.at(-1)).toMatchObject({
    path: "/settings",
    body: { values: { token_limit: 9 }, versions: { token_limit: 3 } },
  });
});

test("a reset sends null; a refusal is shown and what was typed stays", async () => {
  const asked = answering(({ method }) =>
    method === "PATCH"
      ? Response.json({ kind: "invalid_request", detail: "token_limit can't be 0." }, { status: 422 })
      : Response.json(answer(OWN)),
  );
  render(<SettingsRoom agentId="a1" revision="1" />);
  const field = await screen.findByLabelText<HTMLInputElement>("Tokens of a chat");
  await userEvent.clear(field);
  await userEvent.type(field, "0");
  await userEvent.click(screen.getByRole("button", { name: /^Save/ }));
  expect((await screen.findByRole("alert")).textContent).toContain("token_limit can't be 0.");
  expect(field.value).toBe("0");
  await userEvent.click(screen.getByRole("button", { name: "Reset Tokens of a chat to 100" }));
  await waitFor(() => expect(asked.at(-1)?.body).toMatchObject({ values: { token_limit: null } }));
});

test("what another tab changed under what is typed is not overwritten unseen", async () => {
  let version = 3;
  const now = () => setting("token_limit", { ...OWN, own: { value: 500, version, ...WRITTEN, ...NOBODY } });
  const asked = answering(({ method, body }) => {
    if (method !== "PATCH") return Response.json(answer(now()));
    const { versions } = body as { versions: { token_limit: number } };
    return versions.token_limit === version
      ? Response.json(answer(now()))
      : Response.json({ kind: "conflict", detail: "It was changed meanwhile." }, { status: 409 });
  });
  const shown = render(<SettingsRoom agentId="a1" revision="1" />);
  const field = await screen.findByLabelText<HTMLInputElement>("Tokens of a chat");
  await userEvent.clear(field);
  await userEvent.type(field, "9");
  version = 4;
  shown.rerender(<SettingsRoom agentId="a1" revision="2" />);
  await screen.findByText(/version 4/);
  await userEvent.click(screen.getByRole("button", { name: /^Save/ }));
  expect((await screen.findByRole("alert")).textContent).toContain("changed meanwhile");
  expect(asked.at(-1)?.body).toMatchObject({ versions: { token_limit: 3 } });
  expect(field.value).toBe("9");
  await userEvent.click(screen.getByRole("button", { name: /^Save/ }));
  await waitFor(() => expect(asked.at(-1)?.body).toMatchObject({ versions: { token_limit: 4 } }));
});

test("a model is tested with what is typed and not saved, keys among it", async () => {
  const tested = { ok: true, model: "openai/x", said: "ok", ms: 1200, tokens: 12, cost_micros: null };
  const asked = answering(({ method }) =>
    Response.json(method === "POST" ? tested : answer(MODEL, KEY, OWN)),
  );
  render(<SettingsRoom agentId="a1" revision="1" />);
  const models = within(await screen.findByRole("form", { name: "Models" }));
  await userEvent.type(models.getByLabelText("Model"), "openai/x");
  await userEvent.type(screen.getByLabelText("OpenAI"), "sk-typed-here");
  await userEvent.click(models.getByRole("button", { name: "Test Model" }));
  expect(await models.findByText(/openai\/x answers \(1\.2 s, 12 tokens\)/)).toBeTruthy();
  expect(asked.at(-1)).toMatchObject({
    path: "/settings:test-model",
    body: { level: null, values: { model: "openai/x", openai_api_key: "sk-typed-here" } },
  });
});

test("a model is checked, and the results are a table", async () => {
  const checks = [{ name: "tool call", ok: false, needed: true, words: "it wrote text instead" }];
  const checked = { ok: false, model: "openai/x", server: null, problem: "tool call", checks };
  const asked = answering(({ method }) => Response.json(method === "POST" ? checked : answer(MODEL)));
  render(<SettingsRoom agentId="a1" revision="1" />);
  const models = within(await screen.findByRole("form", { name: "Models" }));
  await userEvent.click(models.getByRole("button", { name: "Check Model" }));
  const table = await models.findByRole("table");
  expect(within(table).getAllByRole("row").at(-1)?.textContent).toBe(
    "tool call needed✗ noit wrote text instead",
  );
  expect(asked.at(-1)?.body).toMatchObject({ level: null, wants: "checks" });
});

test("an agent's own settings are another list", async () => {
  const asked = answering(() => Response.json(answer(OWN)));
  render(<SettingsRoom agentId="a1" revision="1" />);
  await screen.findByLabelText("Tokens of a chat");
  await userEvent.click(screen.getByRole("button", { name: "This agent only" }));
  await waitFor(() => expect(asked.at(-1)?.path).toBe("/agents/a1/settings"));
});
