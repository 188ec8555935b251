import { Failure } from "./Failure";

interface Props {
  /** Why it was not saved; null: nothing is wrong. */
  failure: unknown;
  working: boolean;
  /** False while there is nothing that could be saved. */
  ready: boolean;
  onCancel: () => void;
}

/** The last lines of a form that saves something. */
export function FormEnd({ failure, working, ready, onCancel }: Props) {
  return (
    <>
      <Failure failure={failure} />
      <div className="studio-buttons">
        <button type="submit" className="btn btn-primary" disabled={working || !ready}>
          {working ? "Saving…" : "Save"}
        </button>
        <button type="button" className="btn btn-outline-secondary" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </>
  );
}
