import { useCallback, useState } from "react";
import { newKey } from "../../../lib/newKey";
import { messageOf, Problem } from "../../../lib/problems";
import { retrying } from "../../../lib/retrying";
import { callForApp } from "../api/requests";
import { callToolResult } from "../fold/appResult";
import type { Deciding } from "./useDeciding";

/** Calls of tools by the app of a session's call. The gateway judges them; where it asks, the person is asked here. */
export function useAppCalls(sessionId: string, callId: string, { decide }: Deciding) {
  // So many it made since it is shown here, and of those so many have no answer yet.
  const [made, setMade] = useState({ begun: 0, ended: 0 });
  const call = useCallback(
    async (tool: string, args: Record<string, unknown>): Promise<object> => {
      const send = async (approved: boolean) => {
        const key = newKey();
        setMade(({ begun, ended }) => ({ begun: begun + 1, ended }));
        try {
          return await retrying(() => callForApp({ sessionId, callId, tool, args, approved }, key));
        } finally {
          setMade(({ begun, ended }) => ({ begun, ended: ended + 1 }));
        }
      };
      try {
        const result = await send(false).catch(async (error: unknown) => {
          if (!(error instanceof Problem) || error.kind !== "approval_needed") throw error;
          const { rule } = (error.more.asked ?? {}) as { rule?: unknown };
          await decide({ call: { tool, args, rule: String(rule) } });
          return send(true);
        });
        return callToolResult({ result });
      } catch (error) {
        if (error instanceof Problem && error.kind === "mcp_server_failed")
          return { content: [{ type: "text", text: messageOf(error) }], isError: true };
        throw error;
      }
    },
    [sessionId, callId, decide],
  );
  return { made, call };
}
