import { useEffect, useId, useRef, useState } from "react";
import Modal from "react-bootstrap/Modal";
import { Icon } from "../../../../components/Icon";
import { useAction } from "../../../../lib/hooks/useAction";
import { messageOf } from "../../../../lib/problems";
import { type BrowserView, end, type HandOverCall } from "../../api/handOver";
import { addressParts } from "../../fold/handOver";
import { BrowserScreen } from "./BrowserScreen";
import { type OpenBrowser, useBrowser } from "./useBrowser";
import "../../handover.css";

interface Props {
  call: HandOverCall;
  reason: string;
  onClose: () => void;
}

const LEAVE = "F6";

/** The agent's browser in a person's hands: a picture of its page, to which clicks and keys go. */
export function LiveBrowser({ call, reason, onClose }: Props) {
  const browser = useBrowser(call);
  const { view, over, problem } = browser;
  const ending = useAction();
  const [keep, setKeep] = useState(false);
  const done = useRef<HTMLButtonElement>(null);
  const id = useId();
  const failure = ending.failure === null ? null : messageOf(ending.failure);
  const finish = (finished: boolean) => ending.run(() => end(call, finished, keep), onClose);
  return (
    <Modal show fullscreen keyboard={false} onHide={onClose} aria-labelledby={id} className="handover">
      <Modal.Header closeButton>
        <Modal.Title as="h2" className="fs-6 handover-title" id={id}>
          The agent's browser: {reason}
        </Modal.Title>
      </Modal.Header>
      <Modal.Body className="handover-body">
        {view && <Bar view={view} browser={browser} />}
        {over === null ? (
          <BrowserScreen browser={browser} leaveKey={LEAVE} onLeave={() => done.current?.focus()} />
        ) : (
          <p className="handover-over" role="alert">
            {over}
          </p>
        )}
        <div className="handover-said" role="status">
          {[...(view?.notes ?? []), ...(problem ? [problem] : [])].map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {view && view.viewers > 1 && <p>{view.viewers} pages look at this browser.</p>}
        </div>
      </Modal.Body>
      <Modal.Footer className="handover-foot">
        {failure && (
          <p className="text-problem w-100 mb-0" role="alert">
            {failure}
          </p>
        )}
        <label className="form-check handover-keep">
          <input
            type="checkbox"
            className="form-check-input"
            checked={keep}
            onChange={(event) => setKeep(event.target.checked)}
          />
          <span className="form-check-label">Keep this login for this agent</span>
        </label>
        <span className="handover-hint text-body-secondary">
          Keys go to the page once you clicked it; <kbd>{LEAVE}</kbd> leaves it.
        </span>
        <button
          type="button"
          className="btn btn-outline-secondary"
          disabled={ending.working}
          onClick={() => finish(false)}
        >
          I won't
        </button>
        <button
          ref={done}
          type="button"
          className="btn btn-primary"
          disabled={ending.working}
          onClick={() => finish(true)}
        >
          Done
        </button>
      </Modal.Footer>
    </Modal>
  );
}

function Bar({ view, browser: { send } }: { view: BrowserView; browser: OpenBrowser }) {
  const { before, host, after, secure } = addressParts(view.url);
  return (
    <div className="handover-bar">
      <div className="handover-address">
        <button
          type="button"
          className="btn btn-sm btn-outline-secondary"
          onClick={() => send({ type: "go", to: "back" })}
        >
          Back
        </button>
        <button
          type="button"
          className="btn btn-sm btn-outline-secondary"
          onClick={() => send({ type: "go", to: "reload" })}
        >
          <Icon name="retry" size={14} />
          <span className="visually-hidden">Reload</span>
        </button>
        <p className="handover-url" title={view.url}>
          <span className="visually-hidden">Address: </span>
          {host && !secure && <span className="handover-insecure">Not secure</span>}
          <span className="handover-rest">{before}</span>
          <strong>{host}</strong>
          <span className="handover-rest">{after}</span>
        </p>
      </div>
      {view.pages.length > 1 && (
        <ul className="handover-pages" aria-label="Pages">
          {view.pages.map(({ page, title, url }) => (
            <li key={page} className={page === view.page ? "is-current" : ""}>
              <button
                type="button"
                className="btn btn-sm"
                aria-pressed={page === view.page}
                onClick={() => send({ type: "show_page", page, close: false })}
              >
                {title || addressParts(url).host || page}
              </button>
              <button
                type="button"
                className="btn btn-sm"
                onClick={() => send({ type: "show_page", page, close: true })}
              >
                <Icon name="cross" size={12} />
                <span className="visually-hidden">Close {title || page}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {view.dialog && (
        <PageDialog key={view.dialog.message} dialog={view.dialog} host={host} browser={{ send }} />
      )}
    </div>
  );
}

interface DialogProps {
  dialog: NonNullable<BrowserView["dialog"]>;
  host: string;
  browser: Pick<OpenBrowser, "send">;
}

/** A dialog of the page: it says that it is one. */
function PageDialog({ dialog, host, browser: { send } }: DialogProps) {
  const [text, setText] = useState(dialog.default);
  const answers = useRef<HTMLButtonElement>(null);
  useEffect(() => answers.current?.focus(), []);
  return (
    <div className="handover-dialog" role="alertdialog" aria-label={`${host || "The page"} says`}>
      <p>
        <strong>{host || "The page"} says:</strong> {dialog.message}
      </p>
      {dialog.kind === "prompt" && (
        <input
          className="form-control form-control-sm"
          aria-label="Your answer to the page"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <div className="handover-answers">
        {dialog.kind !== "alert" && (
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary"
            onClick={() => send({ type: "dialog", accept: false, text: "" })}
          >
            Cancel
          </button>
        )}
        <button
          ref={answers}
          type="button"
          className="btn btn-sm btn-primary"
          onClick={() => send({ type: "dialog", accept: true, text })}
        >
          OK
        </button>
      </div>
    </div>
  );
}
