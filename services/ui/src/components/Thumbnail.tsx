import { Icon, type IconName } from "./Icon";
import { type Loading, useLoading } from "./useLoading";
import "./files.css";

interface Props {
  /** Where its bytes are; null: it is no picture that is drawn. */
  src: string | null;
  /** What stands in for it. */
  icon?: IconName;
}

/** A small picture of a file beside its name; a sign where it has none, or can't be drawn. */
export function Thumbnail({ src, icon = "file" }: Props) {
  const [state, events] = useLoading(src);
  if (src === null || state === "refused")
    return (
      <span className="file-sign">
        <Icon name={icon} size={18} />
      </span>
    );
  return (
    <span className="file-sign has-picture">
      <img className={seen(state)} src={src} alt="" loading="lazy" decoding="async" {...events} />
    </span>
  );
}

const seen = (state: Loading) => (state === "drawn" ? undefined : "is-unseen");
