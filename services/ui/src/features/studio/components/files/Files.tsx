import { useCallback, useRef, useState } from "react";
import { Icon } from "../../../../components/Icon";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { useCalm } from "../../../../lib/hooks/useCalm";
import { useRead } from "../../../../lib/hooks/useRead";
import { go, studioHref } from "../../../../lib/route";
import { bytes, count } from "../../../../lib/words";
import { type FileList, readFiles, uploadForAll } from "../../api/files";
import { Failure } from "../Failure";
import { Find, Pair } from "../Pair";
import { FileTree } from "./FileTree";
import { FileView } from "./FileView";
import "../../files.css";

/** What an agent that writes all the time changes is read no oftener than this (ms). */
const CALM_MS = 1_000;

interface Props {
  agentId: string;
  /** The id of the file that is chosen. */
  fileId: string | null;
  /** Another one: some file has changed. */
  revision: string;
  titleOf: (sessionId: string) => string | null;
}

/** The files of an agent and of its sessions, and one of them. */
export function Files({ agentId, fileId, revision, titleOf }: Props) {
  const [prefix, setPrefix] = useState("");
  const [pages, setPages] = useState(1);
  // Not what is read, but how far: what was read is shown until more of it is.
  const far = useRef(pages);
  far.current = pages;
  const read = useCallback(
    (signal: AbortSignal) => readFiles(agentId, prefix, far.current, signal),
    [agentId, prefix],
  );
  const calm = useCalm(revision, CALM_MS);
  const list = useRead<FileList>(read, `${calm} ${pages}`);
  const input = useRef<HTMLInputElement>(null);
  const action = useAction();
  const store = (chosen: readonly File[]) =>
    action.run(
      () => uploadForAll(agentId, chosen),
      ([first]) => {
        list.again();
        if (first) go(studioHref(agentId, "files", first.file_id));
      },
    );
  return (
    <Pair
      label="Files"
      chosen={fileId !== null}
      list={
        <>
          <Find
            label="Paths that begin with"
            hint="Path"
            words={prefix}
            onWords={(words) => {
              setPrefix(words);
              setPages(1);
            }}
          >
            <button
              type="button"
              className="btn btn-sm btn-outline-secondary"
              disabled={action.working}
              onClick={() => input.current?.click()}
            >
              <Icon name="upload" size={14} /> {action.working ? "Uploading…" : "Upload"}
            </button>
            <input
              ref={input}
              type="file"
              className="d-none"
              aria-label="Files for all chats"
              multiple
              onChange={({ target }) => {
                const chosen = [...(target.files ?? [])];
                target.value = "";
                if (chosen.length > 0) store(chosen);
              }}
            />
          </Find>
          <Failure failure={action.failure} />
          <Reading read={list}>
            {({ files, count: all, bytes: size }) => (
              <>
                <FileTree files={files} fileId={fileId} open={prefix !== ""} titleOf={titleOf} />
                <p className="side-note" role="status">
                  {all > 0 && `${count(all)} ${all === 1 ? "file" : "files"}, ${bytes(size)}`}
                  {files.length < all && `. The first ${count(files.length)} are listed.`}
                  {all === 0 && prefix && "No path begins so."}
                  {all === 0 &&
                    !prefix &&
                    "No files yet. Attach some to a message, or upload here what all chats shall have."}
                </p>
                {files.length < all && (
                  <button
                    type="button"
                    className="btn btn-sm btn-link"
                    onClick={() => setPages((now) => now + 1)}
                  >
                    Show more
                  </button>
                )}
              </>
            )}
          </Reading>
        </>
      }
    >
      {fileId === null ? (
        <p className="studio-choose text-body-secondary">Choose a file to see it and its versions.</p>
      ) : (
        <FileView key={fileId} agentId={agentId} fileId={fileId} revision={calm} titleOf={titleOf} />
      )}
    </Pair>
  );
}
