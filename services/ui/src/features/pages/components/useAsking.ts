import { useCallback, useRef, useState } from "react";
import type { Answer, AskedOfPerson } from "../fold/asked";
import type { Sharing } from "../fold/sharing";

/** What a function of the page wants to send, or what the page wants to let the agent do with notes. */
export type Wanted = { sends: AskedOfPerson } | { shares: Sharing };

export interface Asking {
  asked: Wanted | null;
  settle: (answer: Answer) => void;
  /** Resolves with what the person says; of several at once only the first is asked. */
  ask: (asked: AskedOfPerson) => Promise<Answer>;
  share: (sharing: Sharing) => Promise<boolean>;
}

/** What a page wants that the person before it has to say yes or no to. */
export function useAsking(): Asking {
  const [asked, setAsked] = useState<Wanted | null>(null);
  const waiting = useRef<((answer: Answer) => void) | null>(null);
  const settle = useCallback((answer: Answer) => {
    waiting.current?.(answer);
    waiting.current = null;
    setAsked(null);
  }, []);
  const put = useCallback((wanted: Wanted) => {
    if (waiting.current) return Promise.resolve<Answer>("refuse");
    return new Promise<Answer>((answer) => {
      waiting.current = answer;
      setAsked(wanted);
    });
  }, []);
  const ask = useCallback((sends: AskedOfPerson) => put({ sends }), [put]);
  const share = useCallback(async (shares: Sharing) => (await put({ shares })) !== "refuse", [put]);
  return { asked, settle, ask, share };
}
