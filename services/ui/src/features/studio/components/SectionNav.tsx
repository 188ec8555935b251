import { useEffect, useRef } from "react";
import { studioHref } from "../../../lib/route";
import { count } from "../../../lib/words";
import { ABOUT, isText, SECTIONS, type Section } from "../fold/sections";
import type { StudioView } from "../fold/view";

interface Props {
  agentId: string;
  section: Section;
  /** null: not read yet. */
  view: StudioView | null;
}

/** The sections, and how much there is in each. */
export function SectionNav({ agentId, section, view }: Props) {
  const chosen = useRef<HTMLAnchorElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another section is another link
  useEffect(() => {
    chosen.current?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }, [section]);
  return (
    <nav className="studio-sections" aria-label="Sections of the studio">
      {SECTIONS.map((one) => {
        const size = view && !isText(one) ? Object.keys(view.lists[one]).length : 0;
        return (
          <a
            key={one}
            ref={one === section ? chosen : null}
            className="studio-section"
            href={studioHref(agentId, one)}
            aria-current={one === section ? "page" : undefined}
          >
            {ABOUT[one].title}
            {size > 0 && <span className="studio-count">{count(size)}</span>}
          </a>
        );
      })}
    </nav>
  );
}
