import { render, screen } from "@testing-library/react";
import { type ComponentType, createRef } from "react";
import { expect, test } from "vitest";
import { INJECTED } from "./injected";
import { Badge, CodeBlock, Grid, Icon, Markdown, Spinner, Table, Tabs } from "./primitives";

const ROWS = [{ city: "Oslo", people: 717_710 }];

test.each(["rows", "data"])("a table takes what it shows as %s", (name) => {
  render(<Table columns={["city"]} striped className="wide" {...{ [name]: ROWS }} />);
  expect(screen.getByRole("cell").textContent).toBe("Oslo");
});

const given = (name: string) => INJECTED[name] as ComponentType<Record<string, unknown>> & Parts;
type Parts = Record<string, ComponentType<Record<string, unknown>>>;
const part = (name: string, of: string) => given(name)[of];

const MISTAKEN = [
  [given("Card"), "Card"],
  [part("Card", "Body"), "Card.Body"],
  [given("Modal"), "Modal"],
  [part("Modal", "Footer"), "Modal.Footer"],
  [given("Chart"), "Chart"],
  [given("Alert"), "Alert"],
  [part("Alert", "Link"), "Alert.Link"],
  [given("Button"), "Button"],
  [given("Stack"), "Stack"],
  [given("Form"), "Form"],
  [part("Form", "Control"), "Form.Control"],
  [part("Form", "Group"), "Form.Group"],
  [given("TextInput"), "TextInput"],
  [given("DatePicker"), "DatePicker"],
  [given("Select"), "Select"],
  [given("Toggle"), "Toggle"],
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
    new RegExp(`^<${name}> has no prop "(itmes|name)"\\. It takes`),
  );
});

test("each component that pages are given is checked", () => {
  const drawn = Object.entries(INJECTED).filter(
    ([name, one]) => /^[A-Z]/.test(name) && typeof one === "function",
  );
  const tried = new Set<string>(MISTAKEN.map(([, name]) => name));
  const others = ["Map", "Tab"]; // JavaScript's own; and one that Tabs reads
  expect(drawn.map(([name]) => name).filter((name) => !tried.has(name))).toEqual(others);
});

test("a Tab is checked by its Tabs, and one that fits is drawn", () => {
  const Tab = given("Tab");
  const shown = (more: object) => (
    <Tabs>
      <Tab eventKey="a" title="First" {...more}>
        Inside
      </Tab>
    </Tabs>
  );
  expect(() => render(shown({ lable: "x" }))).toThrow('<Tab> has no prop "lable"');
  render(shown({}));
  expect(screen.getByRole("tab", { name: "First" })).toBeTruthy();
});

test("what HTML and Bootstrap know of a part is taken, with its ref, and what another element takes that it is", () => {
  const Button = given("Button");
  const TextInput = given("TextInput");
  const ref = createRef<HTMLButtonElement>();
  render(
    <>
      <Button ref={ref} variant="link" size="sm" type="submit" disabled data-x="1" />
      <Button as="label" htmlFor="n" />
      <TextInput label="Number" type="number" min={1} max={9} step={2} placeholder="1" required />
    </>,
  );
  expect(ref.current?.type).toBe("submit");
  expect(screen.getByLabelText("Number").getAttribute("max")).toBe("9");
});

test("a card and a dialog that bring their own parts get no others around them", () => {
  const Card = given("Card");
  const { Body, Header } = Card as unknown as Record<"Body" | "Header", ComponentType<{ children: string }>>;
  const { container } = render(
    <Card title="unused" bg="light">
      <Header>Top</Header>
      <Body>Inside</Body>
    </Card>,
  );
  expect(container.querySelectorAll(".card-body").length).toBe(1);
});

test("what every element takes is no mistake", () => {
  render(
    <Table rows={ROWS} id="t" aria-label="Cities" data-x="1" onClick={() => {}} style={{ margin: 0 }} />,
  );
  expect(screen.getByRole("table").id).toBe("t");
});
