import "./asWritten.css";
import { asWritten } from "../lib/asWritten";

interface Props {
  call: { arguments?: unknown; as_sent?: unknown };
}

/** What the model wrote in a call where that was taken as something else. */
export function AsWritten({ call }: Props) {
  const lines = asWritten(call);
  if (lines.length === 0) return null;
  return (
    <ul className="as-written" aria-label="What the model wrote">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
