import { useState } from "react";
import { addressOf } from "../../../../lib/address";
import { address } from "../../../../lib/api";
import { useAction } from "../../../../lib/hooks/useAction";
import { messageOf } from "../../../../lib/problems";
import { bytes } from "../../../../lib/words";
import { MOST_SHOWN, readThinking } from "../../api/thinking";
import type { WholeThought } from "../../fold/transcript";

interface Props {
  beginningAndEnd: string;
  whole: WholeThought;
}

/** A long thinking: its beginning and its end, and all of it when that is asked for. */
export function AllThoughts({ beginningAndEnd, whole }: Props) {
  const [text, setText] = useState<string | null>(null);
  const { run, working, failure } = useAction();
  const { sessionId, answer, size } = whole;
  const path = `/sessions/${sessionId}/messages/${addressOf(answer)}/thinking`;
  const isCut = size > MOST_SHOWN;
  return (
    <>
      {text ?? beginningAndEnd}
      <p className="thought-more">
        {text === null && `This is the beginning and the end of ${bytes(size)}. `}
        {text !== null && isCut && `These are the first ${bytes(MOST_SHOWN)} of ${bytes(size)}. `}
        {text === null && (
          <button
            type="button"
            className="btn btn-sm btn-link p-0"
            disabled={working}
            onClick={() => run(() => readThinking(whole), setText)}
          >
            {isCut ? `Show the first ${bytes(MOST_SHOWN)}` : "Show all"}
          </button>
        )}{" "}
        <a href={address(path, { download: "true" })} download>
          Download all
        </a>
      </p>
      {failure !== null && (
        <p className="text-danger" role="alert">
          {messageOf(failure)}
        </p>
      )}
    </>
  );
}
