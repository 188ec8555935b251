import { CodeEditor } from "../../../../components/CodeEditor";
import type { Part } from "../../fold/parts";

/** A part of a thing, to read. */
export function PartView({ part, empty }: { part: Part; empty: string }) {
  const { label, language, text } = part;
  if (!text)
    return <p className="text-body-secondary">{language === "json" ? "It doesn't have one." : empty}</p>;
  return (
    <CodeEditor key={part.id} label={label} language={language === "line" ? "text" : language} text={text} />
  );
}
