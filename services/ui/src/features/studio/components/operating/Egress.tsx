import type { EgressRecord } from "../../../../lib/wire";
import { bytes } from "../../../../lib/words";
import { type LeftFilter, readLeft, type Wanted } from "../../api/operating";
import { VERDICTS } from "../../fold/operating";
import type { InRoom } from "../controls";
import { Done, type Narrowing, type Page, Records } from "./Records";

type Props = Pick<InRoom, "agentId" | "titleOf">;

const readLeftPage = async (
  agentId: string,
  filter: LeftFilter,
  wanted: Wanted,
): Promise<Page<EgressRecord>> => {
  const { requests, next_cursor } = await readLeft(agentId, filter, wanted);
  return { rows: requests, next: next_cursor };
};

/** What left the machine in the name of the agent's calls, and what was kept from it. */
export function Egress({ agentId, titleOf }: Props) {
  return (
    <Records
      agentId={agentId}
      label="What left"
      about="Each request that left this machine in the name of a call of this agent, and each that was kept from it. Model calls are not among them, nor what you did yourself in its browser."
      none="Nothing has left in this agent's name."
      any={NO_LEFT}
      narrowing={LEFT_NARROWING}
      read={readLeftPage}
      name="what-left"
    >
      {(requests) =>
        requests.map((one, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a call may send the same twice, and rows keep nothing
          <li key={`${one.session_id} ${one.call_id} ${place}`} className="lever-item">
            <p className="lever-item-head">
              <code className="lever-words">
                {one.method} {one.host}
                {one.path}
              </code>
              <span className="badge studio-badge">
                {VERDICTS[one.verdict]}
                {one.status !== null && ` · ${one.status}`}
              </span>
            </p>
            <Done one={one} titleOf={titleOf}>
              <span>
                {bytes(one.bytes_out)} out, {bytes(one.bytes_in)} in
              </span>
              {one.secrets.length > 0 && <span>with {one.secrets.join(", ")}</span>}
            </Done>
          </li>
        ))
      }
    </Records>
  );
}

const NO_LEFT: LeftFilter = { host: null, verdict: null };
const LEFT_NARROWING: Narrowing<LeftFilter> = {
  label: "Requests",
  texts: [{ key: "host", label: "Host, or one above it", hint: "Host", longest: 253 }],
  choice: { key: "verdict", label: "Outcome", any: "Whatever became of it", words: VERDICTS },
};
