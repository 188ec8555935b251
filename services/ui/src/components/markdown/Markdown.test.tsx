import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { partsOf } from "../../lib/parts";
import { violations } from "../../testing/axe";
import { Markdown, MarkdownPart } from "./Markdown";

test("tables, task lists and highlighted code", async () => {
  const text = "| a |\n|---|\n| 1 |\n\n- [x] done\n- [ ] open\n\n```python\nreturn 1\n```";
  const { container } = render(<Markdown text={text} />);
  expect(screen.getByRole("table")).toBeTruthy();
  expect(screen.getAllByRole("checkbox").map((box) => (box as HTMLInputElement).checked)).toEqual([
    true,
    false,
  ]);
  expect(container.querySelector(".hljs-keyword")?.textContent).toBe("return");
  expect(await violations(container)).toEqual([]);
});

test("HTML in it is text, not page", () => {
  const { container } = render(
    <Markdown text={'<img src=x onerror="alert(1)"> <script>alert(1)</script>'} />,
  );
  expect(container.querySelector("img, script")).toBeNull();
});

test("links open elsewhere and tell nothing; those that run code lead nowhere", () => {
  render(<Markdown text="[a](https://example.com) [b](javascript:alert(1))" />);
  const [good, bad] = screen.getAllByText(/^[ab]$/);
  expect(good?.getAttribute("rel")).toBe("noreferrer noopener");
  expect(bad?.getAttribute("href")).toBe("");
});

test("an image is not loaded: a link stands in for it", () => {
  const { container } = render(<Markdown text="![a cat](https://example.com/cat.png)" />);
  expect(container.querySelector("img")).toBeNull();
  expect(screen.getByRole("link").textContent).toBe("Image: a cat");
});

test("nothing in it has inline styles, which the content security policy would drop", () => {
  const { container } = render(<Markdown text={"| a |\n|:-:|\n| 1 |\n\n```js\n1\n```"} />);
  expect(container.innerHTML).not.toContain("<style");
});

function inParts(text: string) {
  return render(
    partsOf(text, false).map((part, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they stay as they are
      <MarkdownPart key={index} part={part} growing={false} />
    )),
  );
}

test("a long table in slices is one table with one head and all its rows", async () => {
  const rows = Array.from({ length: 200 }, (_, n) => `| row ${n} | **${"x".repeat(60)}** |\n`).join("");
  const { container } = inParts(`| n | m |\n| - | --: |\n${rows}`);
  const table = screen.getByRole("table") as HTMLTableElement;
  expect(table.tHead?.rows.length).toBe(1);
  expect(table.rows.length).toBe(201);
  expect(table.tBodies.length).toBeGreaterThan(2);
  expect(table.querySelectorAll("strong").length).toBe(200);
  expect(await violations(container)).toEqual([]);
});

test("long code in slices is one block, coloured, and copied as it was written", () => {
  const code = Array.from({ length: 300 }, (_, n) => `def f${n}():\n    return ${n}\n\n`).join("");
  const { container } = inParts(`\`\`\`python\n${code}\`\`\``);
  expect(screen.getAllByRole("group", { name: "Code" }).length).toBe(1);
  expect(container.querySelector("pre")?.textContent).toBe(code);
  expect(container.querySelectorAll(".hljs-keyword").length).toBe(600);
});

test("a long list in pieces goes on with its numbers", () => {
  inParts(Array.from({ length: 100 }, () => `1. ${"word ".repeat(20)}\n`).join(""));
  const lists = screen.getAllByRole("list") as HTMLOListElement[];
  expect(lists.length).toBeGreaterThan(2);
  const before = lists[0]?.children.length ?? 0;
  expect(lists[1]?.start).toBe(before + 1);
});
