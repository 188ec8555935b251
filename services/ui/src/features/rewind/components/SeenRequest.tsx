import { CodeBlock } from "../../../components/CodeBlock";
import { pretty } from "../../../lib/jsonText";
import type { SeenCall, SentMessage } from "../../../lib/modelCall";
import { count, fullTime, span } from "../../../lib/words";

/** The request as it was sent, message by message, and the answer. */
export function SeenRequest({ call }: { call: SeenCall }) {
  const { request, answer, error } = call;
  return (
    <>
      <p className="text-body-secondary small">
        {request ? `Sent to ${request.model}` : "Never sent"}, {fullTime(call.requestedAt)}, event{" "}
        {call.requestedSequence}.
        {answer &&
          ` ${count(answer.usage.input)} tokens read, ${count(answer.usage.output)} written in ${span(answer.latencyMs)}.`}
      </p>
      {!request && <p>The call has not ended, or failed before anything was sent.</p>}
      {request?.messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
        <Sent key={index} message={message} open={index === 0 || index === request.messages.length - 1} />
      ))}
      {request && request.tools.length > 0 && (
        <details className="seen-part">
          <summary>
            <strong>Tools</strong> {request.tools.length} offered
          </summary>
          {request.tools.map((tool) => (
            <details key={tool.name} className="seen-tool">
              <summary>
                <code>{tool.name}</code> <span className="text-body-secondary">{tool.description}</span>
              </summary>
              <CodeBlock label={`Arguments of ${tool.name}`}>{pretty(tool.parameters)}</CodeBlock>
            </details>
          ))}
        </details>
      )}
      {error && (
        <p className="alert alert-danger">
          <span className="badge text-bg-danger">{error.kind}</span> {error.message}
        </p>
      )}
      {answer && (
        <details className="seen-part is-answer" open>
          <summary>
            <strong>Answer</strong> {answer.tools.length ? `calls ${answer.tools.join(", ")}` : ""}
          </summary>
          {answer.text && <CodeBlock label="Answer">{answer.text}</CodeBlock>}
        </details>
      )}
    </>
  );
}

function Sent({ message, open }: { message: SentMessage; open: boolean }) {
  const text = message.content === null || message.content === undefined ? "" : pretty(message.content);
  const { calls } = message;
  return (
    <details className={`seen-part is-${message.role}`} open={open}>
      <summary>
        <strong>{message.role}</strong>{" "}
        <span className="text-body-secondary">
          {count(text.length)} characters{calls.length > 0 && `, ${calls.length} tool calls`}
        </span>
      </summary>
      {text && <CodeBlock label={`Message of ${message.role}`}>{text}</CodeBlock>}
      {calls.map((one) => (
        <CodeBlock key={one.id} label={`Call of ${one.name}`}>
          {`${one.name} ${one.arguments}`}
        </CodeBlock>
      ))}
    </details>
  );
}
