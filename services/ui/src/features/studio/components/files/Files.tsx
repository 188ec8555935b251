import { useCallback, useRef, useState } from "react";
import { Icon } from "../../../../components/Icon";
import { Reading } from "../../../../components/Reading";
import { nameOf } from "../../../../lib/files";
import { useAction } from "../../../../lib/hooks/useAction";
import { useCalm } from "../../../../lib/hooks/useCalm";
import { useRead } from "../../../../lib/hooks/useRead";
import { go, studioHref } from "../../../../lib/route";
import type { FileFacts } from "../../../../lib/wire";
import { bytes, count } from "../../../../lib/words";
import { type FileList, readFiles, uploadForAll } from "../../api/files";
import { type Folder, filesIn, fileTree, holds } from "../../fold/fileTree";
import { Failure, type InRoom, Pair, Press, type TitleOf } from "../controls";
import { Find, ItemLink } from "../rows";
import { FileView } from "./FileView";
import "../../files.css";

/** What an agent that writes all the time changes is read no oftener than this (ms). */
const CALM_MS = 1_000;

interface Props extends InRoom {
  /** The id of the file that is chosen. */
  fileId: string | null;
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
            <Press icon="upload" disabled={action.working} onPress={() => input.current?.click()}>
              {action.working ? "Uploading…" : "Upload"}
            </Press>
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
                  <Press look="btn-link" onPress={() => setPages((now) => now + 1)}>
                    Show more
                  </Press>
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

interface TreeProps {
  files: readonly FileFacts[];
  /** The id of the file that is chosen. */
  fileId: string | null;
  /** All folders are open: somebody looks for something. */
  open: boolean;
  titleOf: TitleOf;
}

/** Files in their folders. Those at the top and those of the chosen file are open. */
function FileTree({ files, fileId, open, titleOf }: TreeProps) {
  const chosen = files.find((file) => file.file_id === fileId)?.path ?? null;
  return <Inside of={fileTree(files)} fileId={fileId} depth={0} {...{ chosen, open, titleOf }} />;
}

interface InsideProps extends Omit<TreeProps, "files"> {
  of: Folder<FileFacts>;
  chosen: string | null;
  depth: number;
}

function Inside({ of: folder, depth, ...rest }: InsideProps) {
  return (
    <ul className={depth === 0 ? "studio-items" : "file-folder"}>
      {folder.folders.map((one) => (
        <li key={one.path}>
          <details open={rest.open || depth === 0 || holds(one, rest.chosen)}>
            <summary className="file-folder-name">
              <Icon name="folder" size={14} />
              <span className="studio-item-name" title={one.path} dir="auto">
                {one.name}
              </span>
              <span className="studio-item-version">{count(filesIn(one))}</span>
            </summary>
            <Inside of={one} depth={depth + 1} {...rest} />
          </details>
        </li>
      ))}
      {folder.files.map((file) => (
        <FileRow
          key={file.file_id}
          file={file}
          current={file.file_id === rest.fileId}
          titleOf={rest.titleOf}
        />
      ))}
    </ul>
  );
}

function FileRow({ file, current, titleOf }: { file: FileFacts; current: boolean; titleOf: TitleOf }) {
  const { agent_id, file_id, path, size, version, scope, session_id } = file;
  return (
    <li>
      <ItemLink
        href={studioHref(agent_id, "files", file_id)}
        current={current}
        name={
          <span className="studio-item-name" title={path} dir="auto">
            {nameOf(path)}
          </span>
        }
        version={`v${version}`}
        about={`${bytes(size)} · ${scope === "agent" ? "all chats" : (titleOf(session_id ?? "") ?? "one chat")}`}
      />
    </li>
  );
}
