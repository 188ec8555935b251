import { useId } from "react";
import Modal from "react-bootstrap/Modal";
import { keysOf, SHORTCUTS } from "../fold/keys";
import { SHEET } from "../fold/words";
import "../palette.css";

interface Props {
  mac: boolean;
  /** Whether keys alone count. */
  single: boolean;
  onSingle: (on: boolean) => void;
  onClose: () => void;
}

/** All keys that do something, and the way to be rid of those that one may hit by mistake. */
export function ShortcutSheet({ mac, single, onSingle, onClose }: Props) {
  const id = useId();
  return (
    <Modal show onHide={onClose} fullscreen="sm-down" aria-labelledby={`${id}-title`}>
      <Modal.Header closeButton>
        <Modal.Title as="h2" className="fs-5" id={`${id}-title`}>
          {SHEET.title}
        </Modal.Title>
      </Modal.Header>
      <Modal.Body>
        <dl className="shortcuts">
          {SHORTCUTS.map((one) => (
            <Row key={one.asked} keys={keysOf(one, mac)} words={one.words} />
          ))}
          <Row keys={["Esc"]} words={SHEET.escape} />
        </dl>
        <div className="form-check form-switch">
          <input
            className="form-check-input"
            type="checkbox"
            id={`${id}-single`}
            checked={single}
            onChange={(event) => onSingle(event.target.checked)}
          />
          <label className="form-check-label" htmlFor={`${id}-single`}>
            {SHEET.on}
          </label>
        </div>
        <p className="text-body-secondary small mb-0">{SHEET.where}</p>
      </Modal.Body>
    </Modal>
  );
}

function Row({ keys, words }: { keys: readonly string[]; words: string }) {
  return (
    <div className="shortcut">
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{words}</dd>
    </div>
  );
}
