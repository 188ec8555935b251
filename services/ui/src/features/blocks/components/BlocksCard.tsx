import { type ReactNode, useId } from "react";
import { PartCrash } from "../../../components/Crash";
import { ErrorBoundary } from "../../../components/ErrorBoundary";
import { Icon } from "../../../components/Icon";
import { Markdown } from "../../../components/markdown/Markdown";
import { actedOn, DISMISSED, isAnswerable, type Shown } from "../../../lib/shown";
import { type Block, blocksOf, type FrameShown } from "../fold/blocks";
import { ChartBlock } from "./ChartBlock";
import { FormBlock } from "./FormBlock";
import { ImageBlock } from "./ImageBlock";
import { JsonBlock } from "./JsonBlock";
import { TableBlock } from "./TableBlock";
import "../blocks.css";

const BLOCK = { what: "This block", safe: "The others and the chat are safe." };

/** Draws the block of an extension: the shell knows who can. */
export type DrawFrame = (frame: FrameShown, shown: Shown) => ReactNode;

/** What `render_blocks` shows: blocks from top to bottom, and below them how to answer. */
export function BlocksCard({ drawFrame, ...shown }: Shown & { drawFrame: DrawFrame }) {
  const { call, answering, onAnswer } = shown;
  const id = useId();
  const { title, blocks, schema } = blocksOf(call.show);
  const open = isAnswerable(shown);
  const waits = call.status === "pending";
  return (
    <article
      className={`blocks ${waits ? "is-open" : ""}`}
      aria-label={title ? undefined : "Shown by the agent"}
      aria-labelledby={title ? id : undefined}
    >
      {title && (
        <h2 className="blocks-title" id={id}>
          {title}
        </h2>
      )}
      {blocks.map((block, at) => (
        <ErrorBoundary
          // biome-ignore lint/suspicious/noArrayIndexKey: what is shown never changes
          key={at}
          fallback={(error, again) => <PartCrash {...BLOCK} error={error} onAgain={again} />}
        >
          <OneBlock block={block} shown={shown} schema={schema} drawFrame={drawFrame} />
        </ErrorBoundary>
      ))}
      <footer className="blocks-foot">
        {answering?.problem && (
          <p className="text-problem mb-0" role="alert">
            {answering.problem}
          </p>
        )}
        {waits && (
          <button
            type="button"
            className={`btn btn-sm ${schema ? "btn-link" : "btn-primary"}`}
            disabled={!open}
            onClick={() => onAnswer(DISMISSED)}
          >
            {schema ? "Dismiss without answering" : "Done"}
          </button>
        )}
        {!waits && <Outcome shown={shown} />}
      </footer>
    </article>
  );
}

function Outcome({ shown: { call } }: { shown: Shown }) {
  if (call.status === "cancelled" || call.status === "failed") return <>Closed. {call.error?.message}</>;
  const acted = actedOn(call);
  if (acted?.action !== "submit") return acted ? <>Dismissed.</> : null;
  return (
    <span>
      <Icon name="check" size={14} /> Submitted
    </span>
  );
}

interface OneProps {
  block: Block;
  shown: Shown;
  schema: Record<string, unknown> | null;
  drawFrame: DrawFrame;
}

function OneBlock({ block, shown, schema, drawFrame }: OneProps) {
  switch (block.type) {
    case "frame":
      return <div className="block-frame">{drawFrame(block, shown)}</div>;
    case "markdown":
      return <Markdown text={block.content} />;
    case "table":
      return <TableBlock columns={block.columns} rows={block.data} />;
    case "chart":
      return <ChartBlock type={block.chartType} data={block.data} />;
    case "form":
      return <FormBlock form={block} schema={schema ?? {}} shown={shown} />;
    case "code":
      return <Markdown text={fenced(block.language, block.content)} />;
    case "image":
      return <ImageBlock image={block} shown={shown} />;
    case "alert":
      return (
        <div className={`alert alert-${block.variant} blocks-alert`} role="note">
          <Markdown text={block.content} />
        </div>
      );
    case "json":
      return <JsonBlock data={block.data} />;
  }
}

/** Code within a fence that is longer than any in it. */
function fenced(language: string, content: string): string {
  const longest = Math.max(2, ...[...content.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language.replace(/[^\w+#.-]/g, "")}\n${content}\n${fence}`;
}
