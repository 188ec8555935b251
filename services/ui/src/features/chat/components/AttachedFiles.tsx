import { Icon } from "../../../components/Icon";
import { nameOf } from "../../../lib/files";
import { bytes } from "../../../lib/words";
import { type Attached, retriable } from "../fold/attached";

interface Props {
  attached: readonly Attached[];
  onRetry: (key: string) => void;
  onRemove: (key: string) => void;
}

/** The files that go with the message that is being written. */
export function AttachedFiles({ attached, onRetry, onRemove }: Props) {
  if (attached.length === 0) return null;
  return (
    <ul className="files composer-files" aria-label="Files to send">
      {attached.map((one) => (
        <li
          key={one.key}
          className={`file-card ${one.state === "failed" ? "is-failed" : ""}`}
          title={one.path}
        >
          <span className="file-sign">
            {one.state === "uploading" ? (
              <span className="spinner-border spinner-border-sm" aria-hidden="true" />
            ) : (
              <Icon name={one.state === "failed" ? "warning" : "file"} size={18} />
            )}
          </span>
          <span className="file-words">
            <span className="file-name">{nameOf(one.path)}</span>
            <span className="file-facts" role={one.state === "failed" ? "alert" : undefined}>
              {one.state === "failed" ? one.problem : bytes(one.size)}
              {one.state === "uploading" && ", uploading…"}
            </span>
          </span>
          {retriable(one) && (
            <button
              type="button"
              className="btn btn-link btn-icon"
              aria-label={`Upload ${nameOf(one.path)} again`}
              onClick={() => onRetry(one.key)}
            >
              <Icon name="retry" size={15} />
            </button>
          )}
          <button
            type="button"
            className="btn btn-link btn-icon"
            aria-label={`Remove ${nameOf(one.path)}`}
            onClick={() => onRemove(one.key)}
          >
            <Icon name="cross" size={15} />
          </button>
        </li>
      ))}
    </ul>
  );
}
