import { contentHref, hasThumbnail, nameOf } from "../lib/files";
import type { FileFacts } from "../lib/wire";
import { bytes } from "../lib/words";
import { Icon } from "./Icon";
import { Thumbnail } from "./Thumbnail";
import "./files.css";

export type ShownFile = Pick<FileFacts, "file_id" | "path" | "media_type" | "size" | "version"> & {
  title?: string;
  about?: string;
};

/** A file to download: a small picture of it if it is one, its title or name, its size, what is said of it. */
export function FileCard({ file }: { file: ShownFile }) {
  const { file_id, path, size, version, title, about } = file;
  return (
    <a className="file-card" href={contentHref(file_id, version)} download={nameOf(path)} title={path}>
      <Thumbnail src={hasThumbnail(file) ? contentHref(file_id, version) : null} />
      <span className="file-words">
        <span className="file-name">{title ?? nameOf(path)}</span>
        <span className="file-facts">
          {bytes(size)}
          {version > 1 && ` · version ${version}`}
          {about && ` · ${about}`}
        </span>
      </span>
      <Icon name="download" size={15} />
      <span className="visually-hidden">Download</span>
    </a>
  );
}
