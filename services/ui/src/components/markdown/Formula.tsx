import { render } from "katex";
import { useLayoutEffect, useRef } from "react";
import "katex/dist/katex.min.css";

/** So large (em) a formula may make things, and so often expand macros: it may be anybody's. */
const LIMITS = { maxSize: 20, maxExpand: 200 };

/** A formula as it is read; one that is wrong stands as it was written. */
export default function Formula({ tex, display }: { tex: string; display: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (!place.current) return;
    // `trust` is false: no links, pictures or styles of its own.
    render(tex, place.current, {
      ...LIMITS,
      displayMode: display,
      throwOnError: false,
      trust: false,
      strict: "ignore",
    });
  }, [tex, display]);
  return <span ref={place} className={display ? "formula is-display" : "formula"} />;
}
