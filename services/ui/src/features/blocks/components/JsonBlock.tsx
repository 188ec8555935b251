import { useState } from "react";

/** Members of one array or object that are shown at once. */
const MOST = 100;

/** Any data, to unfold. */
export function JsonBlock({ data }: { data: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div className="block-json" tabIndex={0} role="group" aria-label="Data">
      <Value value={data} depth={0} />
    </div>
  );
}

function Value({ value, name, depth }: { value: unknown; name?: string; depth: number }) {
  const [open, setOpen] = useState(depth < 2);
  const [most, setMost] = useState(MOST);
  const head = name === undefined ? null : <span className="block-json-name">{name}: </span>;
  if (typeof value !== "object" || value === null)
    return (
      <div>
        {head}
        <span className={`block-json-${value === null ? "null" : typeof value}`}>
          {JSON.stringify(value)}
        </span>
      </div>
    );
  const members = Object.entries(value);
  const sign = Array.isArray(value) ? `[${members.length}]` : `{${members.length}}`;
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {head}
        <span className="text-body-secondary">{sign}</span>
      </summary>
      {open && (
        <div className="block-json-members">
          {members.slice(0, most).map(([key, member]) => (
            <Value key={key} name={key} value={member} depth={depth + 1} />
          ))}
          {members.length > most && (
            <button type="button" className="btn btn-sm btn-link" onClick={() => setMost(most + MOST)}>
              {(members.length - most).toLocaleString()} more
            </button>
          )}
        </div>
      )}
    </details>
  );
}
