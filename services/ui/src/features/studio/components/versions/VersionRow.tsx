import type { ReactNode } from "react";
import type { Version } from "../../../../lib/wire";
import { Author } from "./Author";

interface Props {
  agentId: string;
  version: Version;
  /** Whether it is the one that holds. */
  now: boolean;
  titleOf: (sessionId: string) => string | null;
  /** More about it. */
  about?: ReactNode;
  /** What can be done with it. */
  children: ReactNode;
}

/** One version of a thing: which, by whom and when. */
export function VersionRow({ agentId, version, now, titleOf, about, children }: Props) {
  return (
    <li className="studio-version">
      <span className="studio-version-what">
        <strong>{version.deleted ? "Deleted" : `Version ${version.version}`}</strong>
        {now && <span className="badge studio-badge">now</span>}
        <Author agentId={agentId} version={version} titleOf={titleOf} />
        {about}
      </span>
      <span className="studio-version-actions">{children}</span>
    </li>
  );
}

interface RevertProps {
  version: Version;
  disabled: boolean;
  onPress: () => void;
}

/** Makes a version the one that holds. */
export function Revert({ version, disabled, onPress }: RevertProps) {
  return (
    <button type="button" className="btn btn-sm btn-outline-primary" disabled={disabled} onClick={onPress}>
      Revert to {version.version}
      <span className="visually-hidden"> of event {version.sequence}</span>
    </button>
  );
}
