import { useCallback, useRef, useState } from "react";
import type { Answer, AskedOfPerson } from "../fold/asked";

export interface Asking {
  asked: AskedOfPerson | null;
  settle: (answer: Answer) => void;
  /** Resolves with what the person says; of several at once only the first is asked. */
  ask: (asked: AskedOfPerson) => Promise<Answer>;
}

/** What a page's function wants to send, until the person before it has said yes or no. */
export function useAsking(): Asking {
  const [asked, setAsked] = useState<AskedOfPerson | null>(null);
  const waiting = useRef<((answer: Answer) => void) | null>(null);
  const settle = useCallback((answer: Answer) => {
    waiting.current?.(answer);
    waiting.current = null;
    setAsked(null);
  }, []);
  const ask = useCallback((wanted: AskedOfPerson) => {
    if (waiting.current) return Promise.resolve<Answer>("refuse");
    return new Promise<Answer>((answer) => {
      waiting.current = answer;
      setAsked(wanted);
    });
  }, []);
  return { asked, settle, ask };
}
