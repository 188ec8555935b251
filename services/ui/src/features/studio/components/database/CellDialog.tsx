import { useState } from "react";
import Modal from "react-bootstrap/Modal";
import { Icon } from "../../../../components/Icon";
import { LongText } from "../../../../components/LongText";
import { Reading } from "../../../../components/Reading";
import { useRead } from "../../../../lib/hooks/useRead";
import { bytes, count } from "../../../../lib/words";
import { bytesOf, isBlob, textOf } from "../../fold/rows";

interface Props {
  title: string;
  read: (signal: AbortSignal) => Promise<unknown>;
  onClose: () => void;
}

/** One value of a database, whole. */
export function CellDialog({ title, read, onClose }: Props) {
  const [begun] = useState(() => async (signal: AbortSignal) => ({ value: await read(signal) }));
  const found = useRead(begun);
  return (
    <Modal show size="lg" scrollable onHide={onClose} aria-labelledby="cell-title">
      <Modal.Header closeButton>
        <Modal.Title as="h2" className="fs-5" id="cell-title">
          {title}
        </Modal.Title>
      </Modal.Header>
      <Modal.Body>
        <Reading read={found}>
          {({ value }) => (
            <>
              <p className="small text-body-secondary">
                {isBlob(value)
                  ? `A blob of ${bytes(bytesOf(value).length)}`
                  : `${count(String(value ?? "").length)} characters`}{" "}
                <button type="button" className="btn btn-sm btn-link" onClick={() => save(title, value)}>
                  <Icon name="download" size={14} /> Save as a file
                </button>
              </p>
              <LongText label="Value" text={textOf(value)} />
            </>
          )}
        </Reading>
      </Modal.Body>
    </Modal>
  );
}

function save(title: string, value: unknown): void {
  const type = isBlob(value) ? "application/octet-stream" : "text/plain;charset=utf-8";
  const href = URL.createObjectURL(new Blob([bytesOf(value)], { type }));
  const link = document.createElement("a");
  link.href = href;
  link.download = `${title.replaceAll(/[^\w.-]+/g, "-").slice(0, 80)}.${isBlob(value) ? "bin" : "txt"}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
