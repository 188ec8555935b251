import { useState } from "react";
import { Icon } from "./Icon";

interface Props {
  /** What is copied, asked for when it is. */
  text: () => string;
  /** What it copies, for those who hear it and for the tooltip: "Copy the answer". */
  words: string;
  className?: string;
  /** Shown beside the icon. */
  label?: string;
}

/** Copies a text, and says whether it could. */
export function CopyButton({ text, words, className = "", label }: Props) {
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");

  async function copy() {
    try {
      await navigator.clipboard.writeText(text());
      setCopied("yes");
    } catch (error) {
      console.warn("The clipboard can't be written", error);
      setCopied("failed");
    }
    setTimeout(() => setCopied("no"), 2000);
  }

  const said = copied === "yes" ? "Copied" : copied === "failed" ? "Copying is not allowed here" : words;
  return (
    <button type="button" className={`btn btn-sm ${className}`} title={words} onClick={copy}>
      <Icon name={copied === "yes" ? "check" : copied === "failed" ? "warning" : "copy"} size={14} />
      {label && <span aria-hidden="true"> {label}</span>}
      <span className="visually-hidden" aria-live="polite">
        {said}
      </span>
    </button>
  );
}
