import { memo, type ReactNode, Suspense, useContext } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeHighlight from "rehype-highlight";
import remarkGfm from "remark-gfm";
import { asMath } from "../../lib/math";
import type { Part } from "../../lib/parts";
import { isElsewhere, PicturesOf } from "../../lib/pictures";
import { CodeBlock } from "./CodeBlock";
import { DrawnBy } from "./drawings";
import { ElsewhereImage } from "./ElsewhereImage";
import { MarkdownTable } from "./MarkdownTable";
import { useMath } from "./useMath";

const PLUGINS = [remarkGfm];
/** Highlighting only where a language is named: guessing is slow and often wrong. */
const HIGHLIGHT: [[typeof rehypeHighlight, object]] = [
  [rehypeHighlight, { detect: false, plainText: ["mermaid", "math"] }],
];

const COMPONENTS: Components = {
  a: ({ node: _node, children, ...rest }) => (
    <a {...rest} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  img: ({ src, alt }) => <Image src={typeof src === "string" ? src : ""} alt={alt ?? ""} />,
  // The page has its own heading of the first level.
  h1: ({ children }) => <h2 className="first">{children}</h2>,
  pre: ({ node, children }) => {
    const { language, text } = codeIn(node);
    if (language === "mermaid") return <Drawn source={text}>{children}</Drawn>;
    if (language === "math") return children;
    return <CodeBlock>{children}</CodeBlock>;
  },
  code: ({ node: _node, className, children, ...rest }) => {
    const math = /\bmath-(inline|display)\b/.exec(className ?? "");
    if (!math)
      return (
        <code {...rest} className={className}>
          {children}
        </code>
      );
    const tex = String(children);
    return <Tex tex={tex} display={math[1] === "display"} />;
  },
  table: ({ children }) => <MarkdownTable>{children}</MarkdownTable>,
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
/** While a text is still being written, a diagram may be incomplete: it is not drawn yet. */
const WHILE_WRITTEN: Components = { ...COMPONENTS, pre: ({ children }) => <CodeBlock>{children}</CodeBlock> };

type Element = Parameters<Extract<NonNullable<Components["pre"]>, (props: never) => unknown>>[0]["node"];

/** The code that stands in a block, and its language. */
function codeIn(node: Element): { language: string; text: string } {
  const code = node?.children[0];
  if (code?.type !== "element" || code.tagName !== "code") return { language: "", text: "" };
  const names = [code.properties.className].flat().map(String);
  const language = names.find((name) => name.startsWith("language-"))?.slice("language-".length) ?? "";
  const text = code.children.map((part) => (part.type === "text" ? part.value : "")).join("");
  return { language, text };
}

function Drawn({ source, children }: { source: string; children: ReactNode }) {
  const drawings = useContext(DrawnBy);
  return drawings ? <drawings.Diagram source={source} /> : <CodeBlock>{children}</CodeBlock>;
}

function Tex({ tex, display }: { tex: string; display: boolean }) {
  const drawings = useContext(DrawnBy);
  const written = <code>{tex}</code>;
  if (!drawings) return written;
  return (
    <Suspense fallback={written}>
      <drawings.Formula tex={tex} display={display} />
    </Suspense>
  );
}

/** A picture from elsewhere: to be loaded by the gateway, or, where there is no session to keep it, a link. */
function Image({ src, alt }: { src: string; alt: string }) {
  const sessionId = useContext(PicturesOf);
  if (!src) return <span>{alt}</span>;
  if (sessionId !== null && isElsewhere(src))
    return <ElsewhereImage url={src} alt={alt || null} sessionId={sessionId} />;
  return (
    <a href={src} target="_blank" rel="noreferrer noopener">
      Image: {alt || src}
    </a>
  );
}

interface Props {
  text: string;
  /** More of it is still to come. */
  growing?: boolean;
  /** It goes on with the list of the text before. */
  goesOn?: boolean;
}

/** Text with GitHub-flavoured Markdown, formulas and diagrams. HTML in it is shown, not run. */
export const Markdown = memo(function Markdown({ text, growing = false, goesOn = false }: Props) {
  return (
    <div className={`markdown ${growing ? "is-growing" : ""} ${goesOn ? "goes-on" : ""}`.trim()}>
      <Read text={text} components={growing ? WHILE_WRITTEN : COMPONENTS} />
    </div>
  );
});

/** One part of a long text, in slices that are read and drawn each on its own. */
export const MarkdownPart = memo(function MarkdownPart({ part, growing }: { part: Part; growing: boolean }) {
  if (part.kind === "text")
    return <Markdown text={part.text} growing={growing} goesOn={part.goesOn ?? false} />;
  const className = growing ? "markdown is-growing" : "markdown";
  if (part.kind === "plain") return <div className={`${className} is-plain`}>{part.text}</div>;
  const slices = part.slices.map((text, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: what was written stays in its place
    <Read key={index} text={text} components={SLICES[part.kind][index ? "later" : "first"]} />
  ));
  const Whole = part.kind === "table" ? MarkdownTable : CodeBlock;
  return (
    <div className={className}>
      <Whole>{slices}</Whole>
    </div>
  );
}, isSame);

/** Parts are made anew with each piece that comes. */
function isSame(one: { part: Part; growing: boolean }, other: { part: Part; growing: boolean }): boolean {
  return one.growing === other.growing && JSON.stringify(one.part) === JSON.stringify(other.part);
}

/** Draws what is in it, and nothing around that. */
const Bare = ({ children }: { children?: ReactNode }) => children;

const ROWS: Components = { ...COMPONENTS, table: Bare };
const LINES: Components = {
  ...COMPONENTS,
  pre: Bare,
  code: ({ className, children }) => <code className={`${className ?? ""} code-slice`}>{children}</code>,
};
/** The rows of a table are its own, and the head above later ones is there for the parser only. */
const SLICES = {
  table: { first: ROWS, later: { ...ROWS, thead: () => null } },
  code: { first: LINES, later: LINES },
};

const Read = memo(function Read({ text, components }: { text: string; components: Components }) {
  const math = useMath(useContext(DrawnBy) ? text : "");
  return (
    <ReactMarkdown
      remarkPlugins={math ? [...PLUGINS, math] : PLUGINS}
      rehypePlugins={HIGHLIGHT}
      components={components}
    >
      {math ? asMath(text) : text}
    </ReactMarkdown>
  );
});
