import { lazy, Suspense } from "react";
import { AgentMessage } from "../../../components/AgentMessage";
import { ApprovalCard } from "../../../components/ApprovalCard";
import { AsWritten } from "../../../components/AsWritten";
import { CopyButton } from "../../../components/CopyButton";
import { FileCard } from "../../../components/FileCard";
import { FileCards } from "../../../components/FileCards";
import { Diagram } from "../../../components/markdown/Diagram";
import { ElsewhereImage } from "../../../components/markdown/ElsewhereImage";
import { Markdown } from "../../../components/markdown/Markdown";
import { MarkdownTable } from "../../../components/markdown/MarkdownTable";
import { OutsideLine } from "../../../components/OutsideLine";
import { Picture } from "../../../components/Picture";
import { PromptName } from "../../../components/PromptName";
import { RenderCard } from "../../../components/RenderCard";
import { Thumbnail } from "../../../components/Thumbnail";
import { ToolCard } from "../../../components/ToolCard";
import { TriedModels } from "../../../components/TriedModels";
import { UserMessage } from "../../../components/UserMessage";
import type { ToolCall } from "../../../lib/wire";
import { Shelf } from "./Shelf";

const PROMPT = { server: "library", name: "review", arguments: { work: "Moby-Dick" } };
const TIME = "2026-11-23T09:30:00Z";
const FILE = {
  file_id: "f_gallery",
  path: "notes/tea.txt",
  media_type: "text/plain",
  size: 1234,
  version: 2,
};
const TEXT = `## Green tea

It is best at **80 °C** for *two minutes*, see [the notes](https://example.org).

- first rinse the pot
- then wait

| Tea | °C | Minutes |
| --- | --: | --: |
| Sencha | 75 | 1.5 |
| Gyokuro | 60 | 2 |

> A quotation.

\`\`\`js
const minutes = 2; // as long as that
\`\`\`
`;

const SOURCE = {
  kind: "web" as const,
  name: "tea.example",
  first_address: "12",
  session_id: "s_gallery",
  count: 1,
  last_address: null,
};
const nothing = () => {};

const CALL: ToolCall = {
  call_id: "call_1",
  tool: "set_state",
  status: "completed",
  arguments: { key: "demo/colour", value: "red" },
  result: { stored: true },
  error: null,
  excerpt: null,
  accounting: { duration_ms: 42, attempt: 1 },
  runner: "tool-runner",
  effect: "recorded",
  ...{ model_call_id: "m1", runs_on: "tools", show: null, outside: [] },
  ...{ request_address: null, result_address: null, requested_at: null, finished_at: null },
};
const FAILED: ToolCall["error"] = { kind: "invalid_arguments", message: "Give a number." };
const CALLS: ToolCall[] = [
  CALL,
  { ...CALL, call_id: "call_2", status: "running", result: null, accounting: null },
  { ...CALL, call_id: "call_3", tool: "ask_user", status: "pending", result: null, accounting: null },
  { ...CALL, call_id: "call_4", tool: "fetch_page", status: "failed", result: null, error: FAILED },
  { ...CALL, call_id: "call_5", status: "cancelled", result: null },
];

const RENDERED: ToolCall = {
  ...CALL,
  call_id: "call_6",
  tool: "render_and_wait",
  show: { kind: "render_and_wait", component: "Tally", version: 2, title: "Count them" },
  result: { action: "counted", count: 3 },
};

const Formula = lazy(() => import("../../../components/markdown/Formula"));
const PICTURE = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='80' height='40'/%3E";

/** What a conversation is made of. */
export function Conversation() {
  return (
    <>
      <Shelf title="Pictures, tables, formulas and diagrams">
        <Picture src={PICTURE} alt="An empty picture" />
        <p className="gallery-row">
          <Thumbnail src={PICTURE} /> <Thumbnail src={null} /> <small>beside a file's name</small>
        </p>
        <ElsewhereImage url="https://example.org/tea.png" alt="Tea" sessionId={null} />
        <div className="markdown">
          <MarkdownTable>
            <tbody>
              <tr>
                <td>Sencha</td>
                <td>75 °C</td>
              </tr>
            </tbody>
          </MarkdownTable>
        </div>
        <Suspense fallback="E = mc²">
          <Formula tex="E = mc^2" display={false} />
        </Suspense>
        <Diagram source={"graph LR\n  Leaves --> Water --> Tea"} />
        <CopyButton words="Copy the answer" text={() => "Tea"} />
      </Shelf>
      <Shelf title="Messages">
        <UserMessage
          text="How do I make green tea?"
          time={TIME}
          files={<FileCards label="Files" files={[FILE]} />}
        />
        <AgentMessage
          text="Two minutes at 80 °C."
          time={TIME}
          model="a model"
          usage={{ input: 900, output: 40, tokens: 940, cached_input: 800, cost_micros: 1200 }}
        />
        <TriedModels
          tried={[
            {
              model: "a/busy-model",
              server: "a",
              kind: "rate_limited",
              message: "Too many requests",
              key: 1,
              keys: 2,
            },
          ]}
        />
        <UserMessage text="And cold?" time={TIME} note="queued" />
        <UserMessage text="A letter came." time={TIME} wokenBy="post" wakeType="letter.arrived" />
        <UserMessage text="Review Moby-Dick." time={TIME} prompt={PROMPT} />
        <p className="message-foot">
          <PromptName prompt={PROMPT} />
        </p>
      </Shelf>
      <Shelf title="Text">
        <Markdown text={TEXT} />
      </Shelf>
      <Shelf title="Tool calls">
        {CALLS.map((call) => (
          <ToolCard key={call.call_id} call={call} sessionId="s_gallery" />
        ))}
        <AsWritten call={{ arguments: { limit: 5 }, as_sent: { limit: "5" } }} />
        <RenderCard call={{ ...RENDERED, status: "pending" }} onShow={nothing} />
        <RenderCard call={RENDERED} onShow={nothing} then={{ open: false }} />
      </Shelf>
      <Shelf title="What needs a yes">
        <ApprovalCard
          tool="fetch_url"
          args={{ method: "POST", url: "https://shop.example/orders", body: "tea" }}
          approval={{
            rule: "Requests to other servers need your approval",
            covers: { tool: "fetch_url", method: "POST", host: "shop.example" },
            commands: false,
            outside: [{ kind: "web", name: "tea.example", address: "12" }],
            before: null,
            ran: false,
            requested: null,
            asks: null,
            held: false,
          }}
          open={true}
          problem={null}
          onAnswer={nothing}
        />
        <OutsideLine sources={[SOURCE]} />
      </Shelf>
      <Shelf title="Files">
        <FileCard file={FILE} />
        <Thumbnail src={null} />
      </Shelf>
    </>
  );
}
