import type { ReactNode } from "react";
import type { Read } from "../lib/hooks/useRead";
import { isPassing, messageOf } from "../lib/problems";
import { BY_ITSELF } from "../lib/words";

interface Props<T> {
  read: Read<T>;
  children: (value: T) => ReactNode;
}

/** What was read, or why it can't be, or that it is on its way. */
export function Reading<T>({ read, children }: Props<T>) {
  if (read.failure !== null) {
    return (
      <div className="alert alert-danger" role="alert">
        {messageOf(read.failure)} {isPassing(read.failure) && BY_ITSELF}{" "}
        <button type="button" className="btn btn-sm btn-outline-danger" onClick={read.again}>
          Try again
        </button>
      </div>
    );
  }
  if (read.value === null) {
    return (
      <p className="loading text-body-secondary" role="status">
        Loading…
      </p>
    );
  }
  return children(read.value);
}
