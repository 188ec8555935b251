import { type ReactNode, useContext, useState } from "react";
import { DraftDrawing } from "../../../../components/markdown/draftDrawing";
import { recall, remember } from "../../../../lib/browserStorage";
import { members } from "../../../../lib/shape";
import type { Place } from "../../api/things";
import type { Part } from "../../fold/parts";
import { exampleOf } from "../../fold/testRun";
import { Press } from "../controls";
import "../../preview.css";

const KEPT = "foldline.studio-preview";

interface Props {
  place: Place;
  /** The component's parts, as they are or as they are written. */
  parts: readonly Part[];
  children: ReactNode;
}

/** A component's code, and beside it the page that it makes. */
export function PreviewBeside({ place: { agentId, name }, parts, children }: Props) {
  const [on, setOn] = useState(() => recall(localStorage, KEPT) !== "off");
  const draw = useContext(DraftDrawing);
  const code = parts.find(({ id }) => id === "code")?.text ?? "";
  const toggle = () => {
    remember(localStorage, KEPT, on ? "off" : null);
    setOn(!on);
  };
  return (
    <div className={`preview-pair ${on ? "has-preview" : ""}`}>
      <div className="preview-code">{children}</div>
      <section className="preview" aria-label="Preview">
        <p className="preview-bar">
          <Press className={on ? "active" : ""} aria-pressed={on} onPress={toggle}>
            Live preview
          </Press>
          {on && (
            <span className="small text-body-secondary">It is real: what it changes stays changed.</span>
          )}
        </p>
        {on && <div className="preview-page">{draw({ agentId, name, code, props: propsOf(parts) })}</div>}
      </section>
    </div>
  );
}

/** Props that fit the schema, as far as it can be read. */
function propsOf(parts: readonly Part[]): Readonly<Record<string, unknown>> {
  const text = parts.find(({ id }) => id === "props_schema")?.text ?? "";
  if (!text.trim()) return {};
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch {
    return {}; // it is being written: its flaw is told when it is saved
  }
  return members(exampleOf(schema));
}
