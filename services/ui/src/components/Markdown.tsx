import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeHighlight from "rehype-highlight";
import remarkGfm from "remark-gfm";
import { CodeBlock } from "./CodeBlock";

const PLUGINS = [remarkGfm];
/** Highlighting only where a language is named: guessing is slow and often wrong. */
const HIGHLIGHT: [[typeof rehypeHighlight, { detect: boolean }]] = [[rehypeHighlight, { detect: false }]];

const COMPONENTS: Components = {
  a: ({ node: _node, children, ...rest }) => (
    <a {...rest} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  // Images from elsewhere are never loaded (they would tell others what is read here): a link stands in for them.
  img: ({ src, alt }) =>
    typeof src === "string" && src ? (
      <a href={src} target="_blank" rel="noreferrer noopener">
        Image: {alt || src}
      </a>
    ) : (
      <span>{alt}</span>
    ),
  // The page has its own heading of the first level.
  h1: ({ children }) => <h2 className="first">{children}</h2>,
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div className="table-responsive" tabIndex={0} role="group" aria-label="Table">
      <table className="table table-sm">{children}</table>
    </div>
  ),
  input: ({ checked }) => (
    <input
      type="checkbox"
      checked={checked ?? false}
      readOnly
      disabled
      aria-label={checked ? "done" : "to do"}
    />
  ),
};

/** Text with GitHub-flavoured Markdown. HTML in it is shown, not run. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={PLUGINS} rehypePlugins={HIGHLIGHT} components={COMPONENTS}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
