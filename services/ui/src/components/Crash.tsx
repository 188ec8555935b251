import { PageLayout } from "./PageLayout";
import "./crash.css";

interface Props {
  error: Error;
  onAgain: () => void;
}

/** In place of a page that failed: what happened, what is safe, what to do. */
export function PageCrash({ error, onAgain }: Props) {
  return (
    <PageLayout label="This page stopped working" heading="Stopped" className="crash">
      <Crash error={error} onAgain={onAgain} />
    </PageLayout>
  );
}

/** In place of everything, where nothing else could be drawn. */
export function AppCrash({ error, onAgain }: Props) {
  return (
    <main className="crash">
      <Crash error={error} onAgain={onAgain} />
    </main>
  );
}

function Crash({ error, onAgain }: Props) {
  return (
    <div role="alert">
      <h2 className="h4">This page stopped working</h2>
      <p>
        Something on this page failed. Your chats are safe, your agents keep working, and this tab keeps your
        unsent text. Try again, open another page, or reload.
      </p>
      <pre className="small text-body-secondary">{error.message}</pre>
      <button type="button" className="btn btn-primary" onClick={onAgain}>
        Try again
      </button>{" "}
      <button type="button" className="btn btn-outline-secondary" onClick={() => window.location.reload()}>
        Reload
      </button>
    </div>
  );
}

/** In place of a part of a page that failed; `what` is its name, and `safe` says what is safe. */
export function PartCrash({ what, safe, error, onAgain }: Props & { what: string; safe: string }) {
  return (
    <div className="part-crash" role="alert">
      {what} can't be shown: a fault of the page ({error.message}). {safe}{" "}
      <button type="button" className="btn btn-sm btn-outline-secondary" onClick={onAgain}>
        Try again
      </button>
    </div>
  );
}
