import { act, render, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { CodeEditor } from "./CodeEditor";
import type { EditorOptions } from "./editor";

const made = vi.hoisted(() => ({ options: [] as EditorOptions[], set: [] as string[] }));
vi.mock("./codeMirror", () => ({
  editorIn: (_: HTMLElement, options: EditorOptions) => {
    made.options.push(options);
    return { setText: (text: string) => made.set.push(text), mark() {}, destroy() {} };
  },
}));

const shown = (text: string) => <CodeEditor label="Code" language="text" text={text} onChange={() => {}} />;

test("what is typed while the text before it is on its way to its owner and back stays", async () => {
  const { rerender } = render(shown("one"));
  await waitFor(() => expect(made.set).toEqual(["one"]));
  const type = (text: string) => act(() => made.options[0]?.onChange(text));
  made.set.length = 0;
  type("");
  type("n");
  rerender(shown(""));
  rerender(shown("n"));
  expect(made.set).toEqual([]);
  rerender(shown("another"));
  expect(made.set).toEqual(["another"]);
  rerender(shown("n"));
  expect(made.set).toEqual(["another", "n"]);
});
