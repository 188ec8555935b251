import { type ReactNode, useRef } from "react";
import { CopyButton } from "../CopyButton";

/** Preformatted text that scrolls sideways and can be copied. */
export function CodeBlock({ children, label = "Code" }: { children: ReactNode; label?: string }) {
  const text = useRef<HTMLPreElement>(null);
  return (
    <div className="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre ref={text} tabIndex={0} role="group" aria-label={label}>
        {children}
      </pre>
      <CopyButton className="code-copy" words="Copy" text={() => text.current?.textContent ?? ""} />
    </div>
  );
}
