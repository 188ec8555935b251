import { Icon } from "../../../../components/Icon";
import { nameOf } from "../../../../lib/files";
import { studioHref } from "../../../../lib/route";
import type { FileFacts } from "../../../../lib/wire";
import { bytes, count } from "../../../../lib/words";
import { type Folder, filesIn, fileTree, holds } from "../../fold/fileTree";

interface Props {
  files: readonly FileFacts[];
  /** The id of the file that is chosen. */
  fileId: string | null;
  /** All folders are open: somebody looks for something. */
  open: boolean;
  titleOf: (sessionId: string) => string | null;
}

/** Files in their folders. Those at the top and those of the chosen file are open. */
export function FileTree({ files, fileId, open, titleOf }: Props) {
  const chosen = files.find((file) => file.file_id === fileId)?.path ?? null;
  return <Inside of={fileTree(files)} fileId={fileId} depth={0} {...{ chosen, open, titleOf }} />;
}

interface InsideProps extends Omit<Props, "files"> {
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

interface RowProps {
  file: FileFacts;
  current: boolean;
  titleOf: Props["titleOf"];
}

function FileRow({ file, current, titleOf }: RowProps) {
  const { agent_id, file_id, path, size, version, scope, session_id } = file;
  return (
    <li>
      <a
        className="studio-item"
        href={studioHref(agent_id, "files", file_id)}
        aria-current={current ? "true" : undefined}
      >
        <span className="studio-item-head">
          <span className="studio-item-name" title={path} dir="auto">
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
