import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { type Asked, gatewayAnswering } from "../../../../testing/gateway";
import { session } from "../../../../testing/given";
import { NewChat } from "./NewChat";

afterEach(() => vi.unstubAllGlobals());

const settingsWith = (model: string) => [
  { name: "model", value: model, is_set: true },
  { name: "openai_api_key", value: null, is_set: true },
  { name: "groq_api_key", value: null, is_set: false },
];
const agents = ["default", "tutor"].map((id) => ({ id, name: id === "tutor" ? "Tutor" : "Foldline" }));

/** A gateway with this model that answers POST /sessions as told, one after the other. */
function setUp(model: string, ...answers: Response[]) {
  const posts: Asked[] = [];
  gatewayAnswering((asked) => {
    if (asked.path === "/agents") return Response.json({ items: agents, next_cursor: null });
    if (asked.path.endsWith("/settings"))
      return Response.json({ items: settingsWith(model), next_cursor: null });
    posts.push(asked);
    return answers.shift() ?? Response.json(session({ id: "s_new" }), { status: 201 });
  });
  const onCreated = vi.fn();
  const view = render(
    <NewChat offered={null} autoFocus onCreated={onCreated} connect={() => <b>Connect</b>} />,
  );
  return { posts, onCreated, ...view };
}

const box = () => screen.getByLabelText<HTMLTextAreaElement>("Message");
const refusal = () => Response.json({ kind: "bad_text", detail: "That is no text." }, { status: 400 });

test("the demo model says what it is and what one can try", async () => {
  const { posts, onCreated, container } = setUp("openai/demo");
  await userEvent.click(await screen.findByRole("button", { name: "Ask me something" }));
  await vi.waitFor(() => expect(onCreated).toHaveBeenCalledOnce());
  expect(posts).toMatchObject([{ body: { message: "Ask me something" } }]);
  expect(screen.getByText(/This is the demo model/)).toBeTruthy();
  expect(screen.getByText("Connect")).toBeTruthy();
  const chips = container.querySelectorAll(".suggestions button");
  expect([...chips].slice(0, 2).map(({ textContent }) => textContent)).toEqual(["Make a tool", "Rewind it"]);
  expect(await violations(container)).toEqual([]);
});

test("a suggestion that needs more words is put into the box", async () => {
  const { posts } = setUp("demo");
  await userEvent.click(await screen.findByRole("button", { name: "Remember …" }));
  expect(box().value).toBe("Remember that ");
  expect(document.activeElement).toBe(box());
  expect(posts).toEqual([]);
});

test("a real model is named, has words of its own to try, and needs no connecting", async () => {
  setUp("openai/gpt-x");
  expect(await screen.findByRole("option", { name: "openai/gpt-x (usual)" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Make a tool" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Ask me something" })).toBeNull();
  expect(screen.queryByText("Connect")).toBeNull();
});

test("text that could not be sent stays, survives a reload, and goes again as the same request", async () => {
  const { posts, onCreated } = setUp("x", refusal());
  await userEvent.type(box(), "Hello{Enter}");
  expect((await screen.findByRole("alert")).textContent).toContain("That is no text.");
  expect(box().value).toBe("Hello");
  expect(sessionStorage.getItem("foldline.draft.new")).toBe("Hello");
  await userEvent.type(box(), "{Enter}");
  await vi.waitFor(() => expect(onCreated).toHaveBeenCalledOnce());
  expect(posts[1]?.key).toBe(posts[0]?.key);
  expect(sessionStorage.getItem("foldline.draft.new")).toBeNull();
});

test("with files, the chat is made first; what failed goes on where it was", async () => {
  const facts = { file_id: "f_1", path: "a.txt", media_type: "text/plain", size: 1, version: 1 };
  const made = () => Response.json(session({ id: "s_new" }), { status: 201 });
  const uploaded = () => Response.json({ items: [facts], next_cursor: null }, { status: 201 });
  const { posts, onCreated } = setUp(
    "x",
    made(),
    uploaded(),
    refusal(),
    made(),
    Response.json({}, { status: 202 }),
  );
  await userEvent.upload(screen.getByLabelText("Files to attach"), new File(["a"], "a.txt"));
  await userEvent.type(box(), "Look{Enter}");
  expect((await screen.findByRole("alert")).textContent).toContain("That is no text.");
  await userEvent.type(box(), "{Enter}");
  await vi.waitFor(() => expect(onCreated).toHaveBeenCalledOnce());
  expect(posts.map(({ path }) => path)).toEqual([
    ...["/sessions", "/files", "/sessions/s_new/messages"],
    ...["/sessions", "/sessions/s_new/messages"],
  ]);
  expect(posts[0]).toMatchObject({ body: { message: null } });
  expect(posts[3]?.key).toBe(posts[0]?.key);
  expect(posts[4]).toMatchObject({ body: { text: "Look", files: ["f_1"] }, key: posts[2]?.key });
});

test("how hard the model thinks is chosen by keyboard, and said only where it is", async () => {
  const { posts, container } = setUp("openai/gpt-x", refusal());
  const select = await screen.findByRole("combobox", { name: "Effort of thinking" });
  await userEvent.type(box(), "Hello{Enter}");
  await screen.findByRole("alert");
  expect(posts.at(-1)?.body).toMatchObject({ thinking: null });
  await userEvent.selectOptions(select, "High");
  expect(await violations(container)).toEqual([]);
  await userEvent.type(box(), "{Enter}");
  await vi.waitFor(() => expect(posts).toHaveLength(2));
  expect(posts.at(-1)?.body).toMatchObject({ message: "Hello", thinking: { effort: "high" } });
});

test("a chat may think up to a number of tokens; one that no model takes is said before it is sent", async () => {
  const { posts } = setUp("openai/gpt-x");
  const select = await screen.findByRole("combobox", { name: "Effort of thinking" });
  await userEvent.selectOptions(select, "A number of tokens…");
  const tokens = screen.getByRole("textbox", { name: "Tokens for thinking" });
  await userEvent.clear(tokens);
  await userEvent.type(tokens, "20");
  expect(screen.getByText("Write a number from 1,024 to 1,000,000.")).toBeTruthy();
  await userEvent.type(tokens, "48");
  expect(screen.queryByText(/Write a number/)).toBeNull();
  await userEvent.type(box(), "Hello{Enter}");
  await vi.waitFor(() => expect(posts).toHaveLength(1));
  expect(posts[0]?.body).toMatchObject({ thinking: { effort: null, budget: 2048 } });
});

test("the agent and the model that are chosen begin the chat; what lacks its key is said before", async () => {
  const { posts, onCreated } = setUp("openai/gpt-x");
  await userEvent.selectOptions(await screen.findByLabelText("Agent"), "Tutor");
  await userEvent.selectOptions(await screen.findByLabelText("Model"), "Another one…");
  await userEvent.type(screen.getByLabelText("The other model"), "openai/small");
  expect(screen.queryByText(/No key for/)).toBeNull();
  await userEvent.clear(screen.getByLabelText("The other model"));
  await userEvent.type(screen.getByLabelText("The other model"), "groq/fast");
  expect(screen.getByText(/No key for groq is set/)).toBeTruthy();
  await userEvent.type(box(), "Hello{Enter}");
  await vi.waitFor(() => expect(onCreated).toHaveBeenCalledOnce());
  expect(posts).toMatchObject([{ body: { message: "Hello", agent_id: "tutor", model: "groq/fast" } }]);
});
