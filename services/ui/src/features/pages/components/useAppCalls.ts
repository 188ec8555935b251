import { useCallback, useState } from "react";
import { newKey } from "../../../lib/newKey";
import { messageOf, Problem } from "../../../lib/problems";
import { retrying } from "../../../lib/retrying";
import { callForApp, readForApp } from "../api/requests";
import { callToolResult } from "../fold/appResult";
import type { Deciding } from "./useDeciding";

type Args = Record<string, unknown>;
/** Asks the gateway, under a key: with a person's yes to exactly this, or without. */
type Ask = (approved: boolean, key: string) => Promise<unknown>;

/** Calls and reads by the app of a session's call. The gateway judges them; where it asks, the person is asked here. */
export function useAppCalls(sessionId: string, callId: string, { decide }: Deciding) {
  // So many it made since it is shown here, and of those so many have no answer yet.
  const [made, setMade] = useState({ begun: 0, ended: 0 });
  const judged = useCallback(
    async (tool: string, args: Args, ask: Ask): Promise<unknown> => {
      const send = async (approved: boolean) => {
        const key = newKey();
        setMade(({ begun, ended }) => ({ begun: begun + 1, ended }));
        try {
          return await retrying(() => ask(approved, key));
        } finally {
          setMade(({ begun, ended }) => ({ begun, ended: ended + 1 }));
        }
      };
      return send(false).catch(async (error: unknown) => {
        if (!(error instanceof Problem) || error.kind !== "approval_needed") throw error;
        const { rule } = (error.more.asked ?? {}) as { rule?: unknown };
        await decide({ call: { tool, args, rule: String(rule) } });
        return send(true);
      });
    },
    [decide],
  );
  const call = useCallback(
    async (tool: string, args: Args): Promise<object> => {
      try {
        const result = await judged(tool, args, (approved, key) =>
          callForApp({ sessionId, callId, tool, args, approved }, key),
        );
        return callToolResult({ result });
      } catch (error) {
        if (error instanceof Problem && error.kind === "mcp_server_failed")
          return { content: [{ type: "text", text: messageOf(error) }], isError: true };
        throw error;
      }
    },
    [sessionId, callId, judged],
  );
  const read = useCallback(
    async (uri: string): Promise<object> => {
      const found = await judged("resources/read", { uri }, (approved, key) =>
        readForApp({ sessionId, callId, uri, approved }, key),
      );
      return found as object;
    },
    [sessionId, callId, judged],
  );
  return { made, call, read };
}
