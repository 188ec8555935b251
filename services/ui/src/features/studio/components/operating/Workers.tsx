import { Reading } from "../../../../components/Reading";
import { useRead } from "../../../../lib/hooks/useRead";
import { useTicks } from "../../../../lib/hooks/useTicks";
import { chatHref } from "../../../../lib/route";
import type { Worker, WorkOverview } from "../../../../lib/wire";
import { count, fullTime } from "../../../../lib/words";
import { readWorking } from "../../api/operating";
import { silentServices, troubleOf, workName } from "../../fold/operating";
import "../../levers.css";
import type { TitleOf } from "../controls";

const FRESH_MS = 3_000;
/** Calls in hand that are named, of each process. */
const NAMED = 20;

/** Who works on the log of this installation, how much waits, and what runners offer. */
export function Workers({ titleOf }: { titleOf: TitleOf }) {
  const read = useRead(readWorking, useTicks(FRESH_MS));
  return (
    <div className="studio-scrolls">
      <div className="lever-room">
        <Reading read={read}>
          {(working) => (
            <>
              <Services working={working} />
              <Queues working={working} />
              <Processes working={working} titleOf={titleOf} />
              <Offers working={working} />
            </>
          )}
        </Reading>
      </div>
    </div>
  );
}

function Services({ working: { services } }: { working: WorkOverview }) {
  const silent = silentServices(services);
  return (
    <section aria-label="Services">
      <h2 className="fs-5">Services</h2>
      <p role="status">
        {silent.length === 0
          ? `All ${count(Object.keys(services).length)} services answer.`
          : `${silent.join(", ")} ${silent.length === 1 ? "doesn't" : "don't"} answer. Nothing is lost: work waits in the log.`}
      </p>
      {silent.map((name) => (
        <p key={name} className="lever-trouble">
          {name} is dead or hangs. <code>foldline processes {name}</code> says which process it is; after{" "}
          <code>kill -9</code> of that one Foldline starts it again.
        </p>
      ))}
    </section>
  );
}

function Queues({ working: { queues, workers, projected } }: { working: WorkOverview }) {
  const behind = projected ? Math.max(0, projected.last_sequence - projected.sequence) : 0;
  return (
    <section aria-label="Queues">
      <h2 className="fs-5">Queues</h2>
      <p className="text-body-secondary">
        Work that waits for each kind of service. If much waits, start more processes:{" "}
        <code>foldline serve</code>.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div className="lever-table" tabIndex={0} role="group" aria-label="Table of queues">
        <table className="table table-sm">
          <thead>
            <tr>
              <th scope="col">Service</th>
              {["Waiting", "In progress", "Retries"].map((heading) => (
                <th key={heading} scope="col" className="text-end">
                  {heading}
                </th>
              ))}
              <th scope="col">Last delivery</th>
            </tr>
          </thead>
          <tbody>
            {queues.map((queue) => {
              const trouble = troubleOf(queue, workers);
              return (
                <tr key={`${queue.stream} ${queue.consumer}`}>
                  <th scope="row">
                    {workName(queue.consumer)}
                    {trouble && <span className="lever-trouble">{trouble}</span>}
                  </th>
                  <td className="text-end">{count(queue.waiting)}</td>
                  <td className="text-end">{count(queue.in_hand)}</td>
                  <td className="text-end">{count(queue.redelivered)}</td>
                  <td>{queue.delivered_at ? fullTime(queue.delivered_at) : "none since start"}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p role="status">
        {projected === null
          ? "Search index: can't be reached. Conversations continue; lists and search wait for Postgres."
          : behind === 0
            ? "Search index: up to date."
            : `Search index: ${count(behind)} events behind.`}
      </p>
    </section>
  );
}

function Processes({ working, titleOf }: { working: WorkOverview; titleOf: TitleOf }) {
  const { workers } = working;
  return (
    <section aria-label="Processes">
      <h2 className="fs-5">Processes</h2>
      <p className="text-body-secondary">Crashed processes stay listed for a day.</p>
      {workers.length === 0 && (
        <p role="status">No process is running. Nothing is lost: new work waits in the log.</p>
      )}
      <ul className="lever-list">
        {workers.map((one) => (
          <Process key={`${one.consumer} ${one.member}`} worker={one} titleOf={titleOf} />
        ))}
      </ul>
    </section>
  );
}

function Process({ worker, titleOf }: { worker: Worker; titleOf: TitleOf }) {
  const { consumer, member, host, process, alive, started_at, seen_at, capacity, in_hand } = worker;
  return (
    <li className="lever-item">
      <p className="lever-item-head">
        <span className={`badge ${alive ? "studio-badge" : "text-bg-danger"}`}>
          {alive ? "works" : "silent"}
        </span>
        <strong>{workName(consumer)}</strong>
        <span>
          {count(in_hand.length)} of {count(capacity)} in progress
        </span>
      </p>
      <p className="text-body-secondary small lever-words">
        <code>{member}</code> on {host}, process {process}, since {fullTime(started_at)}
        {!alive && `, last heard ${fullTime(seen_at)}`}
      </p>
      {in_hand.length > 0 && (
        <ul className="small">
          {in_hand.slice(0, NAMED).map((work) => (
            <li key={work.sequence}>
              {work.session_id ? (
                <a href={chatHref(work.session_id)}>{titleOf(work.session_id) ?? work.session_id}</a>
              ) : (
                `message ${work.sequence}`
              )}
              {work.call_id && (
                <>
                  {" "}
                  call <code>{work.call_id}</code>
                </>
              )}{" "}
              since {fullTime(work.started_at)}
            </li>
          ))}
          {in_hand.length > NAMED && <li>and {count(in_hand.length - NAMED)} more</li>}
        </ul>
      )}
    </li>
  );
}

function Offers({ working: { offers, workers } }: { working: WorkOverview }) {
  return (
    <section aria-label="What runners offer">
      <h2 className="fs-5">What runners offer</h2>
      <ul className="lever-list">
        {offers.map(({ pack, version, consumer, tools }) => {
          const alive = workers.filter((one) => one.consumer === consumer && one.alive).length;
          return (
            <li key={`${pack} ${consumer}`} className="lever-item">
              <p className="lever-item-head">
                <strong>{pack}</strong>
                <span className="badge studio-badge">{version}</span>
                <span>{workName(consumer)}</span>
                {consumer !== null && (
                  <span className="text-body-secondary">
                    {alive === 0 ? "none runs now" : `${count(alive)} ${alive === 1 ? "runs" : "run"} now`}
                  </span>
                )}
              </p>
              <details>
                <summary>
                  {count(tools.length)} {tools.length === 1 ? "tool" : "tools"}
                </summary>
                <p className="lever-tools">
                  {tools.map((tool) => (
                    <code key={tool}>{tool}</code>
                  ))}
                </p>
              </details>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
