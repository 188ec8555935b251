import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { itemOf } from "../../fold/view";
import { SecretForm } from "./Secrets";

afterEach(() => vi.unstubAllGlobals());

/** A gateway that answers so; what it was sent. */
function answering(...answers: Response[]) {
  return gatewayAnswering(() => answers.shift() ?? Response.json({}));
}

const KNOWN = itemOf({
  ...{
    name: "API_KEY",
    version: 1,
    sequence: 5,
    written_at: null,
    actor: "user",
    session_id: null,
    call_id: null,
  },
  hosts: ["a.org", "*.b.org"],
});

test("a new secret is sent with its hosts, under a name in capitals, and the form closes", async () => {
  const asked = answering();
  const onClose = vi.fn();
  const { container } = render(<SecretForm agentId="a1" replaces={null} onClose={onClose} />);
  await userEvent.type(screen.getByLabelText("Name"), "api_key");
  await userEvent.type(screen.getByLabelText("Value"), "hush-hush");
  await userEvent.type(screen.getByLabelText("Hosts"), "a.org, *.b.org");
  expect(await violations(container)).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(asked).toMatchObject([{ method: "PUT", path: "/agents/a1/secrets/API_KEY" }]);
  expect(asked[0]?.body).toEqual({ value: "hush-hush", hosts: ["a.org", "*.b.org"], reveal: false });
});

test("one that is replaced keeps its name and begins with its hosts, never with its value", () => {
  render(<SecretForm agentId="a1" replaces={KNOWN} onClose={vi.fn()} />);
  expect(screen.queryByLabelText("Name")).toBeNull();
  expect(screen.getByText(/gone once you save. This can't be undone/)).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>("Value")).toMatchObject({ value: "", type: "password" });
  expect(screen.getByLabelText<HTMLTextAreaElement>("Hosts").value).toBe("a.org\n*.b.org");
});

test("a refusal is told, and what was typed stays", async () => {
  answering(Response.json({ kind: "invalid_request", detail: "that is no host" }, { status: 422 }));
  const onClose = vi.fn();
  render(<SecretForm agentId="a1" replaces={KNOWN} onClose={onClose} />);
  await userEvent.type(screen.getByLabelText("Value"), "hush-hush");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect((await screen.findByRole("alert")).textContent).toBe("that is no host");
  expect(screen.getByLabelText<HTMLInputElement>("Value").value).toBe("hush-hush");
  expect(onClose).not.toHaveBeenCalled();
});
