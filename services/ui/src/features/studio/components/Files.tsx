import { useCallback, useRef, useState } from "react";
import { Icon } from "../../../components/Icon";
import { Reading } from "../../../components/Reading";
import { nameOf } from "../../../lib/files";
import { go, studioHref } from "../../../lib/route";
import { useAction } from "../../../lib/useAction";
import { useRead } from "../../../lib/useRead";
import type { FileFacts } from "../../../lib/wire";
import { bytes, count } from "../../../lib/words";
import { type FileList, readFiles, uploadForAll } from "../api/files";
import { Failure } from "./Failure";
import { FileView } from "./FileView";

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
  const [wanted, setWanted] = useState({ pages: 1 });
  const read = useCallback(
    (signal: AbortSignal) => readFiles(agentId, prefix, wanted.pages, signal),
    [agentId, prefix, wanted],
  );
  const list = useRead<FileList>(read, revision);
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
    <div className={`studio-pair ${fileId === null ? "" : "has-one"}`}>
      <section className="studio-list" aria-label="Files">
        <div className="studio-find">
          <input
            type="search"
            className="form-control form-control-sm"
            aria-label="Paths that begin with"
            placeholder="Path"
            value={prefix}
            onChange={(event) => {
              setPrefix(event.target.value);
              setWanted({ pages: 1 });
            }}
          />
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
        </div>
        <Failure failure={action.failure} />
        <Reading read={list}>
          {({ files, count: all, bytes: size }) => (
            <>
              <ul className="studio-items">
                {files.map((file) => (
                  <FileRow
                    key={file.file_id}
                    file={file}
                    current={file.file_id === fileId}
                    titleOf={titleOf}
                  />
                ))}
              </ul>
              <p className="side-note" role="status">
                {all > 0 && `${count(all)} ${all === 1 ? "file" : "files"}, ${bytes(size)}`}
                {all === 0 && prefix && "No path begins so."}
                {all === 0 &&
                  !prefix &&
                  "No files yet. Attach some to a message, or upload here what all chats shall have."}
              </p>
              {files.length < all && (
                <button
                  type="button"
                  className="btn btn-sm btn-link"
                  onClick={() => setWanted(({ pages }) => ({ pages: pages + 1 }))}
                >
                  Show more
                </button>
              )}
            </>
          )}
        </Reading>
      </section>
      <div className="studio-one">
        {fileId === null ? (
          <p className="studio-choose text-body-secondary">Choose a file to see it and its versions.</p>
        ) : (
          <FileView key={fileId} agentId={agentId} fileId={fileId} revision={revision} titleOf={titleOf} />
        )}
      </div>
    </div>
  );
}

interface RowProps {
  file: FileFacts;
  current: boolean;
  titleOf: Props["titleOf"];
}

function FileRow({ file, current, titleOf }: RowProps) {
  const { agent_id, file_id, path, size, version, scope, session_id } = file;
  const folder = path.slice(0, path.length - nameOf(path).length);
  return (
    <li>
      <a
        className="studio-item"
        href={studioHref(agent_id, "files", file_id)}
        aria-current={current ? "true" : undefined}
      >
        <span className="studio-item-head">
          <span className="studio-item-name" title={path}>
            {folder && <span className="text-body-secondary fw-normal">{folder}</span>}
            {nameOf(path)}
          </span>
          <span className="studio-item-version">v{version}</span>
        </span>
        <span className="studio-item-about">
          {bytes(size)} · {scope === "agent" ? "all chats" : (titleOf(session_id ?? "") ?? "one chat")}
        </span>
      </a>
    </li>
  );
}
