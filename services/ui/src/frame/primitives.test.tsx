import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Badge, CodeBlock, Grid, Icon, Markdown, Spinner, Table, Tabs } from "./primitives";

const ROWS = [{ city: "Oslo", people: 717_710 }];

test.each(["rows", "data"])("a table takes what it shows as %s", (name) => {
  render(<Table columns={["city"]} striped className="wide" {...{ [name]: ROWS }} />);
  expect(screen.getByRole("cell").textContent).toBe("Oslo");
});

const MISTAKEN = [
  [Table, "Table"],
  [Badge, "Badge"],
  [Tabs, "Tabs"],
  [Spinner, "Spinner"],
  [CodeBlock, "CodeBlock"],
  [Markdown, "Markdown"],
  [Grid, "Grid"],
  [Icon, "Icon"],
] as const;

test.each(MISTAKEN)("what %s doesn't know is an error that says what it takes", (component, name) => {
  const Mistaken = component as (props: Record<string, unknown>) => React.ReactNode;
  expect(() => render(<Mistaken itmes={ROWS} name="check" />)).toThrow(
    new RegExp(`^<${name}> has no prop "(itmes|name)"\\. It takes `),
  );
});

test("what every element takes is no mistake", () => {
  render(
    <Table rows={ROWS} id="t" aria-label="Cities" data-x="1" onClick={() => {}} style={{ margin: 0 }} />,
  );
  expect(screen.getByRole("table").id).toBe("t");
});
