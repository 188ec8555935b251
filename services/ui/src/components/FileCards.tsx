import { FileCard, type ShownFile } from "./FileCard";

/** Files beneath what they came with, or came of. */
export function FileCards({ label, files }: { label: string; files: readonly ShownFile[] }) {
  if (files.length === 0) return null;
  return (
    <ul className="files" aria-label={label}>
      {files.map((file) => (
        <li key={file.file_id}>
          <FileCard file={file} />
        </li>
      ))}
    </ul>
  );
}
