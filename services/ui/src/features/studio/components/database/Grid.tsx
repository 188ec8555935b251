import { useState } from "react";
import Modal from "react-bootstrap/Modal";
import { ColumnHead } from "../../../../components/ColumnHead";
import { LongText } from "../../../../components/LongText";
import { Reading } from "../../../../components/Reading";
import { useRead } from "../../../../lib/hooks/useRead";
import type { Order } from "../../../../lib/ordering";
import { bytes, count } from "../../../../lib/words";
import { bytesOf, type Cell, COLUMNS, cellOf, isBlob, textOf } from "../../fold/rows";
import { Press } from "../controls";

interface Props {
  label: string;
  columns: readonly string[];
  rows: readonly (readonly unknown[])[];
  /** The number of the first of these rows, from 0. */
  first: number;
  /** Reads one value whole, of a row counted from 0 over all. */
  whole: (row: number, column: number, signal: AbortSignal) => Promise<unknown>;
  order?: Order | null;
  /** A column's head was pressed; without it rows stand as they are. */
  onOrder?: (column: string) => void;
}

/** Rows of a database. Whatever is in them is drawn as text. */
export function Grid({ label, columns, rows, first, whole, order = null, onOrder }: Props) {
  const [opened, setOpened] = useState<{ row: number; column: number } | null>(null);
  const shown = columns.slice(0, COLUMNS);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div className="grid" tabIndex={0} role="group" aria-label={label}>
        <table className="table table-sm table-hover">
          <thead>
            <tr>
              <th scope="col" className="grid-number">
                <span className="visually-hidden">Row</span>
              </th>
              {shown.map(
                (name, at) =>
                  // biome-ignore-start lint/suspicious/noArrayIndexKey: a query may give two columns one name
                  onOrder ? (
                    <ColumnHead key={at} column={name} order={order} onPress={onOrder}>
                      <bdi>{name}</bdi>
                    </ColumnHead>
                  ) : (
                    <th key={at} scope="col">
                      <bdi>{name}</bdi>
                    </th>
                  ),
                // biome-ignore-end lint/suspicious/noArrayIndexKey: as above
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name of their own
              <tr key={first + at}>
                <th scope="row" className="grid-number">
                  {count(first + at + 1)}
                </th>
                {shown.map((name, column) => (
                  <Value
                    // biome-ignore lint/suspicious/noArrayIndexKey: as above
                    key={column}
                    cell={cellOf(row[column])}
                    where={`${name} of row ${count(first + at + 1)}`}
                    onOpen={() => setOpened({ row: first + at, column })}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {columns.length > shown.length && (
        <p className="small text-body-secondary">
          The first {count(shown.length)} of {count(columns.length)} columns are shown. Name others in a
          query.
        </p>
      )}
      {opened && (
        <CellDialog
          key={`${opened.row} ${opened.column}`}
          title={`${columns[opened.column]} of row ${count(opened.row + 1)}`}
          read={(signal) => whole(opened.row, opened.column, signal)}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
}

function Value({ cell, where, onOpen }: { cell: Cell; where: string; onOpen: () => void }) {
  const { kind, text, size, more } = cell;
  return (
    <td className={kind === "number" ? "text-end" : undefined}>
      {kind === "null" && <span className="grid-none">NULL</span>}
      {kind === "text" && size === 0 && <span className="grid-none">empty</span>}
      {kind === "blob" && <span className="grid-none">blob, {bytes(size)}</span>}
      {text && (
        <span className="grid-text" dir="auto">
          {text}
          {more && "…"}
        </span>
      )}
      {more && (
        <Press look="btn-link" className="grid-all" of={`of ${where}`} onPress={onOpen}>
          Show all
        </Press>
      )}
    </td>
  );
}

interface DialogProps {
  title: string;
  read: (signal: AbortSignal) => Promise<unknown>;
  onClose: () => void;
}

/** One value of a database, whole. */
function CellDialog({ title, read, onClose }: DialogProps) {
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
                <Press look="btn-link" icon="download" onPress={() => save(title, value)}>
                  Save as a file
                </Press>
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
