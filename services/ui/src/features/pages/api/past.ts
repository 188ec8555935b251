/** What a component is given that is looked at in the past: it reads what was, and nothing it does has an effect. */
import { answerOf, api } from "../../../lib/api";
import { Problem } from "../../../lib/problems";
import { type PageRequests, pageRequests, type Stored } from "./requests";

const ABSENT: Stored = { value: null, present: false, sequence: 0 };

/** As of event `at`. */
export function pastRequests(agentId: string, at: string): PageRequests {
  async function readState(name: string): Promise<Stored> {
    const params = { path: { agent_id: agentId }, query: { kind: "state" as const, name, at } };
    try {
      const { after } = await answerOf(api.GET("/agents/{agent_id}/moment/thing", { params }));
      return after === null ? ABSENT : { value: after.value, present: true, sequence: 0 };
    } catch (error) {
      if (error instanceof Problem && error.kind === "not_found") return ABSENT;
      throw error;
    }
  }
  return {
    ...pageRequests(agentId),
    follows: false,
    readState,
    // Not stored: what was then is shown again.
    writeState: readState,
    call: () => Promise.reject(new Error("This is the past: no function runs for this component.")),
    say: () => Promise.reject(new Error("This is the past: nothing is sent from this component.")),
  };
}
