import { diffLines } from "diff";
import { useMemo } from "react";

/** Lines around a change that are shown with it: of prose each may be a paragraph. */
const AROUND = 2;
/** Around one of long lines. */
const AROUND_LONG = 1;
const LONG = 80;

interface Line {
  sign: "+" | "-" | " ";
  text: string;
}

/** How one text became another, line by line. Long stretches that are the same are left out. */
export function Diff({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(() => shortened(changes(before, after)), [before, after]);
  if (before === after) return <p className="text-body-secondary small mb-0">No difference.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <pre className="diff" tabIndex={0} role="group" aria-label={label}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and never move
        <DiffLine key={index} line={line} />
      ))}
    </pre>
  );
}

function DiffLine({ line }: { line: Line | null }) {
  if (!line) return <span className="diff-gap">⋯{"\n"}</span>;
  const { sign, text } = line;
  const content = `${sign} ${text}\n`;
  if (sign === "+") return <ins>{content}</ins>;
  return sign === "-" ? <del>{content}</del> : <span>{content}</span>;
}

function changes(before: string, after: string): Line[] {
  return diffLines(before, after, { stripTrailingCr: true, ignoreNewlineAtEof: true }).flatMap(
    ({ added, removed, value }) => {
      const sign = added ? "+" : removed ? "-" : " ";
      return value
        .replace(/\n$/, "")
        .split("\n")
        .map((text): Line => ({ sign, text }));
    },
  );
}

/** Only what is near a change; null stands for what was left out. */
function shortened(lines: readonly Line[]): (Line | null)[] {
  const near = new Set<number>();
  const around = lines.some(({ text }) => text.length > LONG) ? AROUND_LONG : AROUND;
  lines.forEach(({ sign }, index) => {
    if (sign === " ") return;
    for (let other = index - around; other <= index + around; other += 1) near.add(other);
  });
  const kept: (Line | null)[] = [];
  lines.forEach((line, index) => {
    if (near.has(index)) kept.push(line);
    else if (kept.at(-1) !== null) kept.push(null);
  });
  return kept;
}
