import { useCallback, useState } from "react";
import { FileCard } from "../../../../components/FileCard";
import { Icon } from "../../../../components/Icon";
import { CodeBlock } from "../../../../components/markdown/CodeBlock";
import { OutsideLine } from "../../../../components/OutsideLine";
import { Picture } from "../../../../components/Picture";
import { Reading } from "../../../../components/Reading";
import { contentHref, hasThumbnail, nameOf, readFile } from "../../../../lib/files";
import { useAction } from "../../../../lib/hooks/useAction";
import { type Read, useRead } from "../../../../lib/hooks/useRead";
import { isNotFound } from "../../../../lib/problems";
import { chatHref, studioHref } from "../../../../lib/route";
import type { FileFacts, Versions } from "../../../../lib/wire";
import { bytes } from "../../../../lib/words";
import { promote, readBeginning, readFileVersions, removeFile, revertFile } from "../../api/files";
import { DeleteDialog } from "../DeleteDialog";
import { Failure } from "../Failure";
import { RevertibleVersions } from "../versions/RevertibleVersions";

/** Types whose text can be shown as it is. */
const TEXT = /^(text\/|application\/(json|xml|javascript|x-ndjson|yaml|toml))/;

interface Props {
  agentId: string;
  fileId: string;
  revision: string;
  titleOf: (sessionId: string) => string | null;
}

/** One file: what it holds, its versions, and what can be done with it. */
export function FileView({ agentId, fileId, revision, titleOf }: Props) {
  const read = useCallback(
    async (signal: AbortSignal) => {
      const versions = await readFileVersions(agentId, fileId, signal);
      const file = await readFile(agentId, fileId, signal).catch((error: unknown) => {
        if (isNotFound(error)) return null;
        throw error;
      });
      return { file, versions };
    },
    [agentId, fileId],
  );
  const current: Read<{ file: FileFacts | null; versions: Versions }> = useRead(read, revision);
  return (
    <article className="studio-thing" aria-label="File">
      <a className="studio-back" href={studioHref(agentId, "files")}>
        All files
      </a>
      <Reading read={current}>
        {({ file, versions: { versions } }) => (
          <>
            {file ? (
              <Head file={file} titleOf={titleOf} onChanged={current.again} />
            ) : (
              <p className="alert alert-warning">
                The file is deleted. Reverting to one of its versions brings it back.
              </p>
            )}
            {file && <Preview key={file.version} file={file} />}
            <section aria-label="Versions">
              <h3 className="studio-subtitle">Versions</h3>
              <RevertibleVersions
                {...{ agentId, versions, titleOf }}
                revert={(sequence) => revertFile(agentId, fileId, sequence)}
                onReverted={current.again}
              />
            </section>
          </>
        )}
      </Reading>
    </article>
  );
}

interface HeadProps {
  file: FileFacts;
  titleOf: Props["titleOf"];
  onChanged: () => void;
}

function Head({ file, titleOf, onChanged }: HeadProps) {
  const { path, media_type, size, version, scope, session_id } = file;
  const [deleting, setDeleting] = useState(false);
  const action = useAction();
  return (
    <header className="studio-head">
      <div className="studio-title">
        <h2>
          <code>{nameOf(path)}</code>
        </h2>
        <span className="badge studio-badge">version {version}</span>
        <div className="studio-actions">
          {scope === "session" && (
            <button
              type="button"
              className="btn btn-sm btn-outline-secondary"
              disabled={action.working}
              title="Every chat of the agent sees it then"
              onClick={() => action.run(() => promote(file), onChanged)}
            >
              <Icon name="upload" size={14} /> Give to all chats
            </button>
          )}
          <button
            type="button"
            className="btn btn-sm btn-outline-danger"
            onClick={() => {
              action.forget();
              setDeleting(true);
            }}
          >
            <Icon name="trash" size={14} /> Delete…
          </button>
        </div>
      </div>
      <p className="studio-line">
        <code>{path}</code> · {media_type} · {bytes(size)} ·{" "}
        {session_id ? (
          <>
            of <a href={chatHref(session_id)}>{titleOf(session_id) ?? "a chat"}</a>
          </>
        ) : (
          "for all chats"
        )}
      </p>
      <OutsideLine sources={file.outside} words="With material from" />
      <FileCard file={file} />
      {!deleting && <Failure failure={action.failure} />}
      {deleting && (
        <DeleteDialog
          noun="file"
          name={path}
          action={action}
          onDelete={() =>
            action.run(
              () => removeFile(file),
              () => {
                setDeleting(false);
                onChanged();
              },
            )
          }
          onClose={() => setDeleting(false)}
        />
      )}
    </header>
  );
}

function Preview({ file }: { file: FileFacts }) {
  const read = useCallback((signal: AbortSignal) => readBeginning(file, signal), [file]);
  if (hasThumbnail(file)) {
    return <Picture src={contentHref(file.file_id, file.version)} alt={nameOf(file.path)} />;
  }
  return TEXT.test(file.media_type) && file.size > 0 ? <Text read={read} size={file.size} /> : null;
}

function Text({ read, size }: { read: (signal: AbortSignal) => Promise<string>; size: number }) {
  const text = useRead(read);
  return (
    <Reading read={text}>
      {(beginning) => (
        <>
          <CodeBlock label="Content">{beginning}</CodeBlock>
          {size > new Blob([beginning]).size && (
            <p className="text-body-secondary small">This is its beginning. Download it to see the rest.</p>
          )}
        </>
      )}
    </Reading>
  );
}
