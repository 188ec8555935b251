import { createContext, type ReactNode, useContext } from "react";
import { useNarrow } from "../lib/hooks/useNarrow";

interface Ends {
  before: ReactNode;
  /** The views of what is open: the chat, its history, the agent's pages. */
  tabs: ReactNode;
  after: ReactNode;
}

/** What the header has on every page; the shell knows it. */
export const HeaderEnds = createContext<Ends>({ before: null, tabs: null, after: null });

interface Props {
  /** What the page is, for those who don't see it. */
  label: string;
  /** A text becomes the page's heading; anything else holds one. */
  heading: ReactNode;
  /** What stands in the header behind the heading. */
  tools?: ReactNode;
  /** The rooms of the page: a rail beside it, or where it is narrow tabs in the header. */
  rooms?: ReactNode;
  className: string;
  children: ReactNode;
}

/** A page of the shell: the one header, and below it what it is about. */
export function PageLayout({ label, heading, tools, rooms, className, children }: Props) {
  const { before, tabs, after } = useContext(HeaderEnds);
  const narrow = useNarrow();
  return (
    <>
      <header className="header">
        {before}
        <div className="header-where">
          <div className="header-heading">
            {typeof heading === "string" ? <h1 className="title">{heading}</h1> : heading}
          </div>
          {narrow && rooms ? rooms : tabs}
        </div>
        {tools && <div className="header-tools">{tools}</div>}
        {after}
      </header>
      <div className="page-row">
        {narrow ? null : rooms}
        <main className={className} id="main" tabIndex={-1} aria-label={label}>
          {children}
        </main>
      </div>
    </>
  );
}
