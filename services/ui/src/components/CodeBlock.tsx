import { type ReactNode, useRef, useState } from "react";
import { Icon } from "./Icon";

/** Preformatted text that scrolls sideways and can be copied. */
export function CodeBlock({ children, label = "Code" }: { children: ReactNode; label?: string }) {
  const text = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");

  async function copy() {
    try {
      await navigator.clipboard.writeText(text.current?.textContent ?? "");
      setCopied("yes");
    } catch {
      setCopied("failed");
    }
    setTimeout(() => setCopied("no"), 2000);
  }

  return (
    <div className="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre ref={text} tabIndex={0} role="group" aria-label={label}>
        {children}
      </pre>
      <button type="button" className="btn btn-sm code-copy" onClick={copy}>
        <Icon name={copied === "yes" ? "check" : "copy"} size={14} />
        <span className="visually-hidden" aria-live="polite">
          {copied === "yes" ? "Copied" : copied === "failed" ? "Copying is not allowed here" : "Copy"}
        </span>
      </button>
    </div>
  );
}
