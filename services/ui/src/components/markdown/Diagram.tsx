import { useEffect, useState } from "react";
import { draw, pictureOf } from "../../lib/diagrams";
import { messageOf } from "../../lib/problems";
import { CodeBlock } from "./CodeBlock";
import "../diagram.css";

const isDark = () => document.documentElement.dataset.bsTheme === "dark";

/** A diagram written in Mermaid's language; its source, if it can't be drawn. */
export function Diagram({ source }: { source: string }) {
  const [dark, setDark] = useState(isDark);
  const [svg, setSvg] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    const modes = new MutationObserver(() => setDark(isDark()));
    modes.observe(document.documentElement, { attributeFilter: ["data-bs-theme"] });
    return () => modes.disconnect();
  }, []);

  useEffect(() => {
    let left = false;
    draw(source, dark).then(
      (drawn) => left || setSvg(drawn),
      (error: unknown) => left || setProblem(messageOf(error)),
    );
    return () => {
      left = true;
    };
  }, [source, dark]);

  return (
    <figure className="diagram">
      {svg && !problem && <img {...pictureOf(svg)} alt="A diagram. Its source stands below it." />}
      {problem && (
        <figcaption className="text-body-secondary">The diagram can't be drawn: {problem}</figcaption>
      )}
      <details open={problem !== null || svg === null}>
        <summary>Source of the diagram</summary>
        <CodeBlock label="Source of the diagram">{source}</CodeBlock>
      </details>
    </figure>
  );
}
