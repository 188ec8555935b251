import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { violations } from "../testing/axe";
import { Markdown } from "./Markdown";

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
