import { useCallback, useState } from "react";
import { newKey } from "../../../lib/newKey";
import { messageOf, Problem } from "../../../lib/problems";
import { retrying } from "../../../lib/retrying";
import { callForApp } from "../api/requests";
import { callToolResult } from "../fold/appResult";
import type { Deciding } from "./useDeciding";

/** So many are kept to be shown; the log has them all. */
const MOST_SHOWN = 50;

/** What an app called while it was shown here. */
export interface Made {
  times: number;
  failed: number;
  latest: readonly MadeCall[];
}

/** A call, and how it ended. */
interface MadeCall {
  key: string;
  tool: string;
  args: Readonly<Record<string, unknown>>;
  /** Null: it gave its result. */
  failure: string | null;
}

/** Calls of tools by the app of a session's call. The gateway judges them; where it asks, the person is asked here. */
export function useAppCalls(sessionId: string, callId: string, { decide }: Deciding) {
  const [made, setMade] = useState<Made>({ times: 0, failed: 0, latest: [] });
  const call = useCallback(
    async (tool: string, args: Record<string, unknown>): Promise<object> => {
      const send = (approved: boolean) => {
        const key = newKey();
        return retrying(() => callForApp({ sessionId, callId, tool, args, approved }, key));
      };
      const note = (failure: string | null) =>
        setMade(({ times, failed, latest }) => ({
          times: times + 1,
          failed: failed + (failure === null ? 0 : 1),
          latest: [...latest, { key: newKey(), tool, args, failure }].slice(-MOST_SHOWN),
        }));
      try {
        const result = await send(false).catch(async (error: unknown) => {
          if (!(error instanceof Problem) || error.kind !== "approval_needed") throw error;
          const { rule } = (error.more.asked ?? {}) as { rule?: unknown };
          await decide({ call: { tool, args, rule: String(rule) } });
          return send(true);
        });
        note(null);
        return callToolResult({ result });
      } catch (error) {
        const message = messageOf(error);
        note(message);
        if (error instanceof Problem && error.kind === "mcp_server_failed")
          return { content: [{ type: "text", text: message }], isError: true };
        throw error;
      }
    },
    [sessionId, callId, decide],
  );
  return { made, call };
}
