import { Fragment, useEffect, useRef } from "react";
import { studioHref } from "../../../lib/route";
import { count } from "../../../lib/words";
import { HEADS, isSection, isText, SHELVES, type Shelf, titleOfShelf } from "../fold/sections";
import type { StudioView } from "../fold/view";

interface Props {
  agentId: string;
  section: Shelf;
  /** null: not read yet. */
  view: StudioView | null;
}

/** The sections, and how much there is in each. */
export function SectionNav({ agentId, section, view }: Props) {
  const chosen = useRef<HTMLAnchorElement>(null);
  const known = view !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another section is another link; counts move links
  useEffect(() => {
    chosen.current?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }, [section, known]);
  return (
    <nav className="tabs rooms" aria-label="Sections of the studio">
      {SHELVES.map((one) => {
        const size = view && isSection(one) && !isText(one) ? Object.keys(view.lists[one]).length : 0;
        return (
          <Fragment key={one}>
            {HEADS[one] && (
              <span className="room-head" aria-hidden="true">
                {HEADS[one]}
              </span>
            )}
            <a
              ref={one === section ? chosen : null}
              className="tab room"
              href={studioHref(agentId, one)}
              aria-current={one === section ? "page" : undefined}
            >
              {titleOfShelf(one)}
              {size > 0 && <span className="studio-count">{count(size)}</span>}
            </a>
          </Fragment>
        );
      })}
    </nav>
  );
}
