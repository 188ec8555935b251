import { useState } from "react";
import { CanvasFrame } from "../../../components/CanvasFrame";
import { Check } from "../../../components/Check";
import { CodeEditor } from "../../../components/CodeEditor";
import { ColourModeMenu } from "../../../components/ColourModeMenu";
import { ColumnHead } from "../../../components/ColumnHead";
import { ConnectionState } from "../../../components/ConnectionState";
import { PartCrash } from "../../../components/Crash";
import { Diff } from "../../../components/Diff";
import { ErrorBoundary } from "../../../components/ErrorBoundary";
import { Field } from "../../../components/Field";
import { Icon } from "../../../components/Icon";
import { LongText } from "../../../components/LongText";
import { Chart } from "../../../components/markdown/Chart";
import { CodeBlock } from "../../../components/markdown/CodeBlock";
import { Reading } from "../../../components/Reading";
import { RowPages } from "../../../components/RowPages";
import { SideBySide } from "../../../components/SideBySide";
import { StepFieldset } from "../../../components/StepFieldset";
import { type Order, pressed } from "../../../lib/ordering";
import type { Step } from "../../../lib/steps";
import { Shelf } from "./Shelf";

const CODE = `export default function add({ a, b }) {\n  return { sum: a + b }; // both are numbers\n}\n`;
const LATER = CODE.replace("a + b", "Number(a) + Number(b)");
const nothing = () => {};
const STEP: Step = {
  title: "Review it",
  description: "Review a work.",
  fields: [
    {
      name: "work",
      label: "work",
      help: "Which one.",
      type: "text",
      options: null,
      required: true,
      default: null,
    },
  ],
};

/** Controls, notices, code and figures. */
export function Parts() {
  return (
    <>
      <Shelf title="Buttons" use="One filled button a view: what most people do next.">
        <p className="gallery-row">
          <button type="button" className="btn btn-primary">
            <Icon name="plus" size={14} /> Primary
          </button>
          <button type="button" className="btn btn-outline-primary">
            Suggestion
          </button>
          <button type="button" className="btn btn-outline-secondary">
            Secondary
          </button>
          <button type="button" className="btn btn-outline-danger">
            Destroys
          </button>
          <button type="button" className="btn btn-link">
            Link
          </button>
          <button type="button" className="btn btn-sm btn-outline-secondary">
            Small
          </button>
          <button type="button" className="btn btn-primary" disabled>
            Not now
          </button>
          <button type="button" className="btn btn-link btn-icon" aria-label="Icon" title="Icon">
            <Icon name="rewind" size={18} />
          </button>
          <ColourModeMenu />
        </p>
      </Shelf>
      <Fields />
      <Shelf title="A form that is asked for">
        <StepFieldset
          step={STEP}
          entries={{}}
          wrong={{ work: "Fill this in." }}
          disabled={false}
          plain
          onChange={nothing}
        />
      </Shelf>
      <Shelf title="Notices" use="What happened, what is safe, what to do.">
        <div className="alert alert-info">The agent made a page: open it beside the chat.</div>
        <div className="alert alert-warning">The page is older than the chat: reload it.</div>
        <div className="alert alert-danger">The model didn't answer. Your message is safe: ask again.</div>
        <div className="alert alert-success">Went back to event 12. You can undo that.</div>
        <p className="gallery-row">
          <ConnectionState connection="live" />
          <ConnectionState connection="interrupted" />
          <ConnectionState connection="refused" />
        </p>
        <Reading read={{ value: null, failure: null, again: nothing }}>{() => null}</Reading>
        <Reading read={{ value: null, failure: new Error("The log can't be read."), again: nothing }}>
          {() => null}
        </Reading>
        <ErrorBoundary fallback={() => null}>
          <PartCrash
            what="The list of chats"
            safe="The chats are safe."
            error={new Error("no title")}
            onAgain={nothing}
          />
        </ErrorBoundary>
      </Shelf>
      <Shelf title="Rows" use="Of any table: pressed heads put them in order, pages are of fifty.">
        <Rows />
      </Shelf>
      <Shelf title="Code">
        <CodeBlock label="Code to read">{CODE}</CodeBlock>
        <LongText label="A long text" text={CODE.repeat(200)} />
        <CodeEditor label="Code to edit" language="javascript" text={CODE} onChange={nothing} />
        <Diff label="What changed" before={CODE} after={LATER} />
      </Shelf>
      <Shelf title="Figures">
        <div className="gallery-charts">
          {(["bar", "line", "area", "pie"] as const).map((type) => (
            <Chart
              key={type}
              type={type}
              title={`A chart: ${type}`}
              labels={["Mon", "Tue", "Wed", "Thu"]}
              series={[
                { label: "Asked", values: [3, 5, 4, 8] },
                { label: "Answered", values: [2, 5, 3, 7] },
                { label: "Rewound", values: [1, 0, 2, 1] },
              ]}
            />
          ))}
        </div>
      </Shelf>
      <Shelf
        title="Canvas"
        use="Beside the chat; on a phone a sheet over it. The divider moves by mouse and keys."
      >
        <div className="gallery-canvas">
          <SideBySide
            side={
              <CanvasFrame title="A page" note="version 2" onClose={nothing}>
                <p className="p-3">What the agent shows.</p>
              </CanvasFrame>
            }
          >
            <p className="p-3">The chat.</p>
          </SideBySide>
        </div>
      </Shelf>
    </>
  );
}

function Rows() {
  const [order, setOrder] = useState<Order | null>({ column: "tea", descending: false });
  const [first, setFirst] = useState(50);
  return (
    <>
      <table className="table table-sm">
        <thead>
          <tr>
            {["tea", "minutes"].map((column) => (
              <ColumnHead
                key={column}
                column={column}
                order={order}
                onPress={() => setOrder(pressed(order, column))}
              >
                {column}
              </ColumnHead>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>Sencha</td>
            <td>1.5</td>
          </tr>
        </tbody>
      </table>
      <RowPages first={first} all={120} page={50} onFirst={setFirst} />
    </>
  );
}

function Fields() {
  const [on, setOn] = useState(true);
  return (
    <Shelf title="Fields">
      <div className="gallery-fields">
        <Field label="Text" help="What helps to fill it in.">
          {(tied) => <input {...tied} className="form-control" defaultValue="green tea" />}
        </Field>
        <Field label="Choice">
          {(tied) => (
            <select {...tied} className="form-select">
              <option>Balanced</option>
              <option>Thorough</option>
            </select>
          )}
        </Field>
        <Field label="Wrong" flaw="Give a date such as 2026-11-30.">
          {(tied) => <input {...tied} className="form-control" defaultValue="tomorrow" />}
        </Field>
        <Check checked={on} onChange={setOn}>
          A box to tick
        </Check>
        <label className="form-check form-switch">
          <input
            type="checkbox"
            className="form-check-input"
            checked={on}
            onChange={(event) => setOn(event.target.checked)}
          />{" "}
          On
        </label>
      </div>
    </Shelf>
  );
}
