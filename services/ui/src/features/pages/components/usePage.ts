import { useEffect, useState } from "react";
import { messageOf } from "../../../lib/problems";
import { retrying } from "../../../lib/retrying";
import { type Page, pageRequests } from "../api/requests";

export interface Read {
  page: Page | null;
  problem: string | null;
}

/** Reads a page with its code, again for each event that wrote it. What was read before stays until then. */
export function usePage(agentId: string, name: string, sequence: number | undefined): Read {
  const [read, setRead] = useState<Read>({ page: null, problem: null });
  useEffect(() => {
    if (sequence === undefined) return;
    let left = false;
    retrying(() => pageRequests(agentId).page(name)).then(
      (page) => !left && setRead({ page, problem: null }),
      (error) => !left && setRead({ page: null, problem: messageOf(error) }),
    );
    return () => {
      left = true;
    };
  }, [agentId, name, sequence]);
  return read;
}
