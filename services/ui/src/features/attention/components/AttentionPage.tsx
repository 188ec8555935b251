import { PageLayout } from "../../../components/PageLayout";
import { useAction } from "../../../lib/hooks/useAction";
import { messageOf } from "../../../lib/problems";
import { count as figure } from "../../../lib/words";
import { count } from "../fold/view";
import { TellMe } from "./TellMe";
import { ThingRow } from "./ThingRow";
import type { Attention } from "./useAttention";
import { useFocusKept } from "./useFocusKept";
import { WakeRow } from "./WakeRow";
import "../attention.css";

/** All that waits for the person, in one place. */
export function AttentionPage({ attention }: { attention: Attention | null }) {
  return (
    <PageLayout label="Inbox" heading="Inbox" className="attention-main">
      {attention && <Waiting {...attention} />}
    </PageLayout>
  );
}

function Waiting({ open, state: { view, cursor, failure } }: Attention) {
  const more = useAction();
  const list = useFocusKept(view);
  const problem = failure ?? (more.failure === null ? null : messageOf(more.failure));
  return (
    <div className="attention-page" {...list}>
      {problem !== null && (
        <div className="alert alert-danger" role="alert">
          {problem}{" "}
          <button type="button" className="btn btn-sm btn-outline-danger" onClick={open.reload}>
            Try again
          </button>
        </div>
      )}
      {view === null && failure === null && (
        <p className="text-body-secondary" role="status">
          Loading…
        </p>
      )}
      {view !== null && count(view) === 0 && (
        <p role="status">
          Nothing waits for you. Questions, failures and what other services leave appear here.
        </p>
      )}
      {view !== null && view.total > 0 && (
        <section aria-labelledby="attention-things">
          <h2 className="fs-5" id="attention-things">
            Waiting for you <span className="attention-figure">{figure(view.total)}</span>
          </h2>
          <ul className="attention-list">
            {view.things.map((thing) => (
              <ThingRow key={thing.key} thing={thing} onChange={open.reload} />
            ))}
          </ul>
          {cursor !== null && (
            <button
              type="button"
              className="btn btn-sm btn-outline-secondary"
              disabled={more.working}
              onClick={() => more.run(open.more)}
            >
              {more.working ? "Loading…" : "Show more"}
            </button>
          )}
        </section>
      )}
      {view !== null && view.wakesTotal > 0 && (
        <section aria-labelledby="attention-wakes">
          <h2 className="fs-5" id="attention-wakes">
            Left by other services <span className="attention-figure">{figure(view.wakesTotal)}</span>
          </h2>
          <p className="text-body-secondary">
            Material from outside: nobody here wrote it. The agent takes from it when it looks into its inbox.
          </p>
          <ul className="attention-list">
            {view.wakes.map((wake) => (
              <WakeRow key={wake.id} wake={wake} onChange={open.reload} />
            ))}
          </ul>
          {view.wakesTotal > view.wakes.length && (
            <p className="text-body-secondary">
              The oldest {figure(view.wakes.length)} are shown. More appear as these are done.
            </p>
          )}
        </section>
      )}
      <TellMe />
    </div>
  );
}
