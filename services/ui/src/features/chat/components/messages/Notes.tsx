import { TriedModels } from "../../../../components/TriedModels";
import type { TriedModel } from "../../../../lib/wire";
import { type Incomplete, WHY_INCOMPLETE } from "../../fold/incomplete";

/** What its model can't take, said once in a chat. */
export function AdaptedNote({ what }: { what: string }) {
  return (
    <p className="stopped">
      {what === "no_tools"
        ? "This model can’t use tools: none are offered to it. "
        : "This model can’t see pictures: they are described to it in words. "}
      The Studio’s settings show what its server said, and reset it.
    </p>
  );
}

/** Another model of the chain answers than the first one; opened, why each of those before it didn't. */
export function StoodInNote({ model, tried }: { model: string; tried: readonly TriedModel[] }) {
  return (
    <details className="stopped">
      <summary>Answered by {model}, which stood in</summary>
      <TriedModels tried={tried} />
    </details>
  );
}

/** Why the answer above isn't whole, and what the model's server said of it. */
export function IncompleteNote({ why, words }: { why: Incomplete; words: string | null }) {
  return (
    <p className="stopped">
      {WHY_INCOMPLETE[why]}
      {words && ` It said: “${words}”`}
    </p>
  );
}
