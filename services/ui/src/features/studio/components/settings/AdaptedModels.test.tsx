import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { AdaptedModels } from "./Models";

afterEach(() => vi.unstubAllGlobals());

const NAME = "0123456789abcdef0123";
const LEARNED = {
  ...{ label: "no_tools", adaptation: "no_tools", field: null, meaning: "it can't use tools" },
  ...{ said: "does not support tools", learned_at: "2026-11-27T10:00:00Z" },
};
const MODEL = { name: NAME, server: "http://127.0.0.1:11434/v1", model: "openai/a", adaptations: [LEARNED] };

test("what was learned of a model is shown with the server's words, and reset", async () => {
  let models = [MODEL];
  const asked = gatewayAnswering(({ method }) => {
    if (method !== "DELETE") return Response.json({ items: models, next_cursor: null });
    models = [];
    return Response.json({ reset: 1 });
  });
  const { container } = render(<AdaptedModels />);
  expect(await screen.findByText(/does not support tools/)).toBeTruthy();
  expect(await violations(container)).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Reset for openai/a: it can't use tools" }));
  await waitFor(() => expect(screen.queryByText("Learned of models")).toBeNull());
  expect(asked.find(({ method }) => method === "DELETE")?.path).toContain(`/model-adaptations/${NAME}`);
});

test("all are reset together, and nothing is shown where nothing was learned", async () => {
  let models = [MODEL];
  const asked = gatewayAnswering(({ method }) => {
    if (method === "DELETE") models = [];
    return Response.json(method === "DELETE" ? { reset: 1 } : { items: models });
  });
  render(<AdaptedModels />);
  await userEvent.click(await screen.findByRole("button", { name: "Reset all" }));
  await waitFor(() => expect(screen.queryByText("Learned of models")).toBeNull());
  expect(asked.find(({ method }) => method === "DELETE")?.path).toBe("/model-adaptations");
});
