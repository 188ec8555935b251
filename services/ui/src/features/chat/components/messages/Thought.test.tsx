import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { placeOf } from "../../../../lib/address";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { Thought } from "./Thought";

afterEach(() => vi.unstubAllGlobals());

test("what the model thought is folded away, and shown by keyboard", async () => {
  const { container } = render(
    <Thought name="t1" text={"first\n<img src=x>"} growing={false} whole={null} />,
  );
  expect(container.textContent).not.toContain("first");
  await userEvent.tab();
  await userEvent.keyboard("{Enter}");
  expect(screen.getByRole("button", { name: "Thought for a moment", expanded: true })).toBe(
    document.activeElement,
  );
  expect(container.textContent).toContain("first\n<img src=x>");
  expect(container.querySelector("img")).toBeNull();
  expect(await violations(container)).toEqual([]);
});

test("of a long text that grows the end is shown", async () => {
  render(<Thought name="t2" text={`${"a".repeat(20_000)}now`} growing whole={null} />);
  await userEvent.click(screen.getByRole("button", { name: "Thinking" }));
  const shown = screen.getByRole("region", { name: "What the model thought" }).textContent ?? "";
  expect(shown.length).toBeLessThan(11_000);
  expect(shown.endsWith("now")).toBe(true);
});

/** One that is open, of so many bytes. */
async function long(size: number) {
  const whole = { sessionId: "s_1", answer: placeOf("5"), size };
  render(<Thought name={`t${size}`} text="begins […] ends" growing={false} whole={whole} />);
  await userEvent.click(screen.getByRole("button", { name: "Thought for a moment" }));
  return screen.getByRole("region", { name: "What the model thought" });
}

test("all of a long thinking is shown when that is asked for, and can be downloaded", async () => {
  const { asked } = recorded(() => new Response("begins, goes on and ends"));
  const region = await long(40_000);
  expect(region.textContent).toContain("begins […] ends");
  expect(region.textContent).toContain("the beginning and the end of 40 kB");
  const link = screen.getByRole("link", { name: "Download all" });
  expect(link.getAttribute("href")).toBe("api/v1/sessions/s_1/messages/5/thinking?download=true");
  await userEvent.click(screen.getByRole("button", { name: "Show all" }));
  await vi.waitFor(() => expect(region.textContent).toContain("begins, goes on and ends"));
  expect(asked).toEqual(["/sessions/s_1/messages/5/thinking"]);
  expect(screen.queryByRole("button", { name: "Show all" })).toBeNull();
  expect(await violations(region)).toEqual([]);
});

test("of more than a page takes, the first part is shown and named so; a failure is said", async () => {
  const answers = [Response.json({ detail: "It is gone." }, { status: 404 }), new Response("the first")];
  recorded(() => answers.shift() as Response);
  const region = await long(3_000_000);
  const button = screen.getByRole("button", { name: "Show the first 2.0 MB" });
  await userEvent.click(button);
  expect((await screen.findByRole("alert")).textContent).toBe("It is gone.");
  await userEvent.click(button);
  await vi.waitFor(() => expect(region.textContent).toContain("These are the first 2.0 MB of 3.0 MB."));
});

function recorded(answer: () => Response) {
  const asked: string[] = [];
  gatewayAnswering((one) => {
    asked.push(one.path);
    return answer();
  });
  return { asked };
}
