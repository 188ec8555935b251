import { useCallback, useState } from "react";
import { FileCard } from "../../../../components/FileCard";
import { CodeBlock } from "../../../../components/markdown/CodeBlock";
import { OutsideLine } from "../../../../components/OutsideLine";
import { Picture } from "../../../../components/Picture";
import { Reading } from "../../../../components/Reading";
import { contentHref, hasThumbnail, nameOf, readFile } from "../../../../lib/files";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import { isNotFound } from "../../../../lib/problems";
import { chatHref, studioHref } from "../../../../lib/route";
import type { FileFacts } from "../../../../lib/wire";
import { bytes } from "../../../../lib/words";
import { promote, readBeginning } from "../../api/files";
import { type Place, remove } from "../../api/things";
import { pagedKind } from "../../fold/shelves";
import { Failure, type InRoom, Press, type TitleOf } from "../controls";
import { Delete } from "../deleting";
import { VersionSection } from "../versions/Versions";

/** Types whose text can be shown as it is. */
const TEXT = /^(text\/|application\/(json|xml|javascript|x-ndjson|yaml|toml))/;

interface Props extends InRoom {
  fileId: string;
}

/** One file: what it holds, its versions, and what can be done with it. */
export function FileView({ agentId, fileId, revision, titleOf }: Props) {
  const place = { agentId, kind: pagedKind("file"), name: fileId };
  const read = useCallback(
    async (signal: AbortSignal) => {
      const file = await readFile(agentId, fileId, signal).catch((error: unknown) => {
        if (isNotFound(error)) return null;
        throw error;
      });
      return { file };
    },
    [agentId, fileId],
  );
  const [writes, setWrites] = useState(0);
  const current = useRead<{ file: FileFacts | null }>(read, `${revision} ${writes}`);
  const onChanged = () => setWrites((before) => before + 1);
  return (
    <article className="studio-thing" aria-label="File">
      <a className="studio-back" href={studioHref(agentId, "files")}>
        All files
      </a>
      <Reading read={current}>
        {({ file }) => (
          <>
            {file ? (
              <Head {...{ place, file, titleOf, onChanged }} />
            ) : (
              <p className="alert alert-warning">
                The file is deleted. Reverting to one of its versions brings it back.
              </p>
            )}
            {file && <Preview key={file.version} file={file} />}
            <VersionSection
              {...{ place, titleOf }}
              revision={`${revision} ${writes}`}
              onReverted={onChanged}
            />
          </>
        )}
      </Reading>
    </article>
  );
}

interface HeadProps {
  place: Place;
  file: FileFacts;
  titleOf: TitleOf;
  onChanged: () => void;
}

function Head({ place, file, titleOf, onChanged }: HeadProps) {
  const { path, media_type, size, version, scope, session_id } = file;
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
            <Press
              icon="upload"
              disabled={action.working}
              title="Every chat of the agent sees it then"
              onPress={() => action.run(() => promote(file), onChanged)}
            >
              Give to all chats
            </Press>
          )}
          <Delete kind={place.kind} name={path} remove={() => remove(place)} onDone={onChanged} />
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
      <Failure failure={action.failure} />
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
