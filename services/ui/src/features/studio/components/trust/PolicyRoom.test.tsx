import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { Policy } from "../../../../lib/wire";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { timeOf } from "../../../../testing/given";
import { PolicyRoom } from "./PolicyRoom";

afterEach(() => vi.unstubAllGlobals());

type Condition = Policy["conditions"][number];

const condition = (name: string, label: string, more: Partial<Condition> = {}): Condition => ({
  ...{ name, label, help: "", hint: "", type: "text", format: null, letters: null, options: null },
  ...{ required: false, default: null, pattern: "", ...more },
});

/** Two that the page always had, and three that nothing in it knows. */
const CONDITIONS = [
  condition("host", "Host", { letters: "small" }),
  condition("method", "Method", { letters: "capital" }),
  condition("language", "Language", { hint: "py*", help: "Of the code." }),
  condition("late", "At night", { type: "checkbox" }),
  condition("mood", "Mood", {
    type: "select",
    options: [
      { value: "calm", label: "a calm one", help: "" },
      { value: "wild", label: "a wild one", help: "" },
    ],
  }),
];

const POLICY = {
  conditions: CONDITIONS,
  ...{ preset: "balanced", version: 2, sequence: 9, written_at: timeOf(3), actor: "user" },
  ...{ session_id: null, call_id: null, outside: [] },
  rules: [{ verdict: "deny", match: { host: "*.evil.example" }, note: "Never" }],
  preset_rules: [
    { verdict: "ask", match: { method: "*" }, note: "It sends something out" },
    { verdict: "ask", match: { late: true, mood: "wild" }, note: "" },
  ],
} as unknown as Policy;
const VERSIONS = {
  next_cursor: null,
  items: [2, 1].map((version) => ({
    ...{ version, sequence: version === 2 ? 9 : 4, deleted: false, written_at: timeOf(3), actor: "user" },
    ...{ session_id: null, call_id: null, causation: null, replaced: null, outside: [] },
  })),
};
const TRIAL = {
  ...{ of: 3, verdicts: { allow: 2, ask: 0, deny: 1 }, differ: 1 },
  shown: [
    {
      ...{ session_id: "s_1", title: "Tea", call_id: "c1", tool: "fetch_url", what: "GET a.example" },
      ...{ requested_at: timeOf(3), was: "allow", was_by: "-", would: "deny", would_by: "Rule 1" },
    },
  ],
};

function setUp(put: () => Response = () => Response.json({ ...POLICY, version: 3 })) {
  const asked = gatewayAnswering(({ method, path }) => {
    if (path.endsWith(":try")) return Response.json(TRIAL);
    if (path.includes("/versions")) return Response.json(VERSIONS);
    if (method === "PUT") return put();
    return Response.json(path.includes("at=4") ? { ...POLICY, rules: [] } : POLICY);
  });
  return { asked, ...render(<PolicyRoom agentId="a1" revision="" titleOf={() => null} />) };
}

const sent = (asked: ReturnType<typeof setUp>["asked"], method: string) =>
  asked.find((one) => one.method === method)?.body as Record<string, unknown> | undefined;

test("a rule is made with a form, and saved at the version that was read", async () => {
  const { asked, container } = setUp();
  await userEvent.click(await screen.findByRole("button", { name: "Add a rule" }));
  const rule = screen.getByRole("listitem", { name: "Rule 2" });
  await userEvent.selectOptions(within(rule).getByLabelText("One more condition of rule 2"), "method");
  await userEvent.type(within(rule).getByLabelText("Method"), "post");
  await userEvent.selectOptions(within(rule).getByLabelText("Rule 2"), "allow");
  await userEvent.click(within(rule).getByRole("button", { name: /^Up *rule 2/ }));
  expect(await violations(container)).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  await vi.waitFor(() =>
    expect(sent(asked, "PUT")).toEqual({
      preset: "balanced",
      version: 2,
      rules: [
        { verdict: "allow", match: { method: "post" }, note: "" },
        { verdict: "deny", match: { host: "*.evil.example" }, note: "Never" },
      ],
    }),
  );
});

test("a condition that the page doesn't know is drawn, said and sent by its declaration", async () => {
  const { asked, container } = setUp();
  await userEvent.click(await screen.findByText(/Rules of the saved preset/));
  expect(screen.getByText(/at night yes, mood a wild one/)).toBeTruthy();
  const rule = screen.getByRole("listitem", { name: "Rule 1" });
  const more = within(rule).getByLabelText("One more condition of rule 1");
  for (const one of ["language", "late", "mood"]) await userEvent.selectOptions(more, one);
  const language = within(rule).getByLabelText<HTMLInputElement>("Language");
  expect(language.placeholder).toBe("py*");
  expect(within(rule).getByText("Of the code.").id).toBe(language.getAttribute("aria-describedby"));
  await userEvent.type(language, "py*");
  await userEvent.selectOptions(within(rule).getByLabelText("At night"), "no");
  await userEvent.click(within(rule).getByRole("button", { name: "Without mood" }));
  expect(await violations(container)).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  await vi.waitFor(() =>
    expect(sent(asked, "PUT")?.rules).toEqual([
      { verdict: "deny", match: { host: "*.evil.example", language: "py*", late: false }, note: "Never" },
    ]),
  );
});

test("what it would have said of past calls is shown before it is saved", async () => {
  const { asked } = setUp();
  await userEvent.click(await screen.findByRole("radio", { name: /Free/ }));
  await userEvent.click(screen.getByRole("button", { name: "Test on past calls" }));
  expect(await screen.findByText(/2 allowed, 0 asked and 1 refused/)).toBeTruthy();
  expect(screen.getByText("Allow → Never")).toBeTruthy();
  expect(sent(asked, "POST")?.preset).toBe("free");
  expect(sent(asked, "PUT")).toBeUndefined();
});

test("somebody else's change is not overwritten", async () => {
  const problem = { type: "about:blank", title: "Conflict", status: 409, detail: "It was changed meanwhile" };
  setUp(() => Response.json(problem, { status: 409 }));
  await userEvent.click(await screen.findByRole("radio", { name: /Cautious/ }));
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect((await screen.findByRole("alert")).textContent).toContain("It was changed meanwhile");
});

test("an earlier version is shown beside the one that holds, and brought back", async () => {
  const { asked } = setUp();
  const changes = await screen.findByRole("group", { name: "Changes of rules" }, { timeout: 10_000 });
  expect(changes.textContent).toContain("evil");
  await userEvent.click(screen.getByRole("button", { name: /^Revert to 1/ }));
  await vi.waitFor(() => expect(sent(asked, "POST")).toEqual({ sequence: 4 }));
});
