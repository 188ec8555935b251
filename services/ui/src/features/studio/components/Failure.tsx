import { messageOf } from "../../../lib/problems";

/** Why what the user wanted did not happen; nothing if it did. */
export function Failure({ failure }: { failure: unknown }) {
  if (failure === null) return null;
  return (
    <div className="alert alert-danger" role="alert">
      {messageOf(failure)}
    </div>
  );
}
