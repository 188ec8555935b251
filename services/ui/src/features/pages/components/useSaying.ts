import { useCallback, useRef, useState } from "react";
import { newKey } from "../../../lib/newKey";
import { messageOf } from "../../../lib/problems";
import { retrying } from "../../../lib/retrying";
import { pageRequests, type Said } from "../api/requests";
import { wasInPage } from "../fold/gesture";
import { lastOwnGesture } from "./ownGesture";

/** Something that a page wants to say, and that nobody has agreed to yet. */
export interface Wish {
  text: string;
  settle: (agreed: boolean) => void;
}

export interface Saying {
  wish: Wish | null;
  /** The session that something was said in last. */
  said: string | null;
  problem: string | null;
  /** A page says something: at once if the user did something in it just now, else when they agree. */
  fromPage: (text: string) => Promise<void>;
  /** The user says something. */
  say: (text: string) => Promise<void>;
}

/** What is said to the agent from beside its page. */
export function useSaying(agentId: string, sessionId: string | null, onNew: (session: Said) => void): Saying {
  const [wish, setWish] = useState<Wish | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const waiting = useRef(false);

  const say = useCallback(
    async (text: string) => {
      setProblem(null);
      try {
        const key = newKey();
        const session = await retrying(() => pageRequests(agentId).say(sessionId, text, key));
        setSaid(session.id);
        if (sessionId === null) onNew(session);
      } catch (error) {
        setProblem(messageOf(error));
        throw error;
      }
    },
    [agentId, sessionId, onNew],
  );

  const fromPage = useCallback(
    async (text: string) => {
      const done = {
        active: navigator.userActivation?.isActive ?? false,
        focused: document.activeElement instanceof HTMLIFrameElement,
        own: lastOwnGesture(),
      };
      if (!wasInPage(done, performance.now())) {
        if (waiting.current) throw new Error("The user has not agreed to the previous message yet.");
        waiting.current = true;
        const agreed = await new Promise<boolean>((settle) => setWish({ text, settle }));
        waiting.current = false;
        setWish(null);
        if (!agreed) throw new Error("The user did not agree to this message.");
      }
      await say(text);
    },
    [say],
  );

  return { wish, said, problem, fromPage, say };
}
