import { createContext, type ReactNode, useContext } from "react";

/** What every page's top bar has at both its ends; the shell knows it. */
export const TopBarEnds = createContext<{ before: ReactNode; after: ReactNode }>({
  before: null,
  after: null,
});

interface Props {
  /** What the page is, for those who don't see it. */
  label: string;
  /** A text becomes the page's heading; anything else holds one. */
  heading: ReactNode;
  /** What stands in the top bar behind the heading. */
  tools?: ReactNode;
  /** What stands between the top bar and the page. */
  below?: ReactNode;
  className: string;
  children: ReactNode;
}

/** A page of the shell: its top bar, and below it what it is about. */
export function PageLayout({ label, heading, tools, below, className, children }: Props) {
  const { before, after } = useContext(TopBarEnds);
  return (
    <>
      <header className="top-bar">
        {before}
        {typeof heading === "string" ? <h1 className="title">{heading}</h1> : heading}
        {tools}
        {after}
      </header>
      {below}
      <main className={className} id="main" tabIndex={-1} aria-label={label}>
        {children}
      </main>
    </>
  );
}
