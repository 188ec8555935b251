import { useEffect, useState } from "react";
import type { Options } from "react-markdown";
import { mathMet } from "../../lib/math";

type Plugins = NonNullable<Options["remarkPlugins"]>;

let loaded: Plugins[number] | null = null;

/** What reads formulas, loaded when one is met; null: the text has none, or it is on its way. */
export function useMath(text: string): Plugins[number] | null {
  const met = mathMet(text);
  const [plugin, setPlugin] = useState<{ is: Plugins[number] } | null>(loaded && { is: loaded });
  useEffect(() => {
    if (!met || plugin) return;
    let left = false;
    import("remark-math").then(
      ({ default: math }) => {
        // A dollar of its own is money: `asMath` knows which are not.
        loaded = [math, { singleDollarTextMath: false }];
        if (!left) setPlugin({ is: loaded });
      },
      (error) => console.warn("What reads formulas can't be loaded", error),
    );
    return () => {
      left = true;
    };
  }, [met, plugin]);
  return met ? (plugin?.is ?? null) : null;
}
