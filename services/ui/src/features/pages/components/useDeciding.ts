import { useCallback, useRef, useState } from "react";

/** What an app wants that only a person may decide. */
export type AppWish = { say: string } | { open: URL } | { call: AskedCall };

export interface AskedCall {
  tool: string;
  args: Readonly<Record<string, unknown>>;
  /** Why a person is asked: a rule of the policy. */
  rule: string;
}

export interface Deciding {
  wish: AppWish | null;
  settle: (agreed: boolean) => void;
  /** Resolves when the person says yes, rejects when they say no; one is asked at a time. */
  decide: (wish: AppWish) => Promise<void>;
}

export function useDeciding(): Deciding {
  const [wish, setWish] = useState<AppWish | null>(null);
  const waiting = useRef<((agreed: boolean) => void) | null>(null);
  const settle = useCallback((agreed: boolean) => {
    waiting.current?.(agreed);
    waiting.current = null;
    setWish(null);
  }, []);
  const decide = useCallback(async (wanted: AppWish) => {
    if (waiting.current) throw new Error("The user has not decided on what was asked before yet.");
    const agreed = await new Promise<boolean>((decided) => {
      waiting.current = decided;
      setWish(wanted);
    });
    if (!agreed) throw new Error("The user did not agree.");
  }, []);
  return { wish, settle, decide };
}
