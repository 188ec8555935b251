import type { EgressRecord } from "../../../../lib/wire";
import { bytes } from "../../../../lib/words";
import type { DoneList } from "../../fold/lists";
import { VERDICTS } from "../../fold/operating";

/** What left the machine in the name of the agent's calls, and what was kept from it. */
const EGRESS: DoneList<EgressRecord> = {
  name: "egress",
  title: "What left",
  order: 1,
  about:
    "Each request that left this machine in the name of a call of this agent, and each that was kept from it. Model calls are not among them, nor what you did yourself in its browser.",
  none: "Nothing has left in this agent's name.",
  narrowing: {
    label: "Requests",
    texts: [{ key: "host", label: "Host, or one above it", hint: "Host", longest: 253 }],
    choice: { key: "verdict", label: "Outcome", any: "Whatever became of it", words: VERDICTS },
  },
  saved: "what-left",
  what: ({ method, host, path }) => (
    <>
      {method} {host}
      {path}
    </>
  ),
  badge: ({ verdict, status }) => (
    <>
      {VERDICTS[verdict]}
      {status !== null && ` · ${status}`}
    </>
  ),
  facts: ({ bytes_out: sent, bytes_in: got, secrets }) => (
    <>
      <span>
        {bytes(sent)} out, {bytes(got)} in
      </span>
      {secrets.length > 0 && <span>with {secrets.join(", ")}</span>}
    </>
  ),
};

export default EGRESS;
