import { useCallback, useState } from "react";
import { type Read, useRead } from "../../../../lib/hooks/useRead";
import type { Version } from "../../../../lib/wire";
import { type Place, readVersions } from "../../api/requests";

export interface VersionList {
  /** Newest first. */
  read: Read<{ versions: readonly Version[]; more: boolean }>;
  showOlder: () => void;
}

/** A thing's versions, page by page, read again with another `revision`. */
export function useVersions({ agentId, section, name }: Place, revision: string): VersionList {
  const [wanted, setWanted] = useState({ pages: 1 });
  const read = useCallback(
    async (signal: AbortSignal) => {
      const versions: Version[] = [];
      let before: number | null = null;
      for (let page = 0; page < wanted.pages; page += 1) {
        const found = await readVersions({ agentId, section, name }, before, signal);
        versions.push(...found.versions);
        before = found.before;
        if (before === null) break;
      }
      return { versions, more: before !== null };
    },
    [agentId, section, name, wanted],
  );
  return {
    read: useRead(read, revision),
    showOlder: () => setWanted(({ pages }) => ({ pages: pages + 1 })),
  };
}
