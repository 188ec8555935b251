import { type ReactNode, useState } from "react";
import Modal from "react-bootstrap/Modal";
import { type Action, useAction } from "../../../lib/hooks/useAction";
import type { Kind } from "../../../lib/kind";
import { Failure, Press, type PressProps } from "./controls";

interface DeleteProps extends Omit<PressProps, "onPress"> {
  kind: Kind;
  name: string;
  remove: () => Promise<unknown>;
  onDone?: () => void;
}

/** Deletes a thing, once a person has read what that means. */
export function Delete({ kind, name, remove, onDone, children = "Delete…", ...rest }: DeleteProps) {
  const [asking, setAsking] = useState(false);
  const action = useAction();
  return (
    <>
      <Press
        {...{ look: "btn-outline-danger", icon: "trash", ...rest }}
        onPress={() => {
          action.forget();
          setAsking(true);
        }}
      >
        {children}
      </Press>
      {asking && (
        <Asked
          title={
            <>
              Delete the {kind.noun} <code>{name}</code>?
            </>
          }
          words="Delete"
          action={action}
          onYes={() =>
            action.run(remove, () => {
              setAsking(false);
              onDone?.();
            })
          }
          onClose={() => setAsking(false)}
        >
          <p className="mb-0">
            {kind.page?.versions
              ? "The agent can't use it from its next step on. Its versions are kept, and reverting to one brings it back."
              : "Its value is forgotten for good. This can't be undone. What uses it fails from now on."}
          </p>
        </Asked>
      )}
    </>
  );
}

interface AskedProps {
  title: ReactNode;
  /** What the button says that does it. */
  words: string;
  action: Action;
  onYes: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Asks whether to delete something, and says what that means. */
export function Asked({ title, words, action, onYes, onClose, children }: AskedProps) {
  return (
    <Modal show onHide={onClose} aria-labelledby="delete-title">
      <Modal.Header closeButton>
        <Modal.Title as="h2" className="fs-5" id="delete-title">
          {title}
        </Modal.Title>
      </Modal.Header>
      <Modal.Body>
        {children}
        <Failure failure={action.failure} />
      </Modal.Body>
      <Modal.Footer>
        <Press large onPress={onClose}>
          Cancel
        </Press>
        <Press large look="btn-danger" disabled={action.working} onPress={onYes}>
          {action.working ? "Deleting…" : words}
        </Press>
      </Modal.Footer>
    </Modal>
  );
}
