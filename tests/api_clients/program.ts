// Says something, allows what the agent asks for, and reads the turn, with a generated client.
import { client } from "./client/client.gen";
import { answerApproval, createSession, getTurn, listEvents, postMessage } from "./client/sdk.gen";

client.setConfig({
  baseUrl: process.env.FOLDLINE_URL!,
  auth: () => process.env.FOLDLINE_TOKEN!,
  throwOnError: true,
});

async function main(): Promise<void> {
  const { data: session } = await createSession({ body: {}, throwOnError: true });
  const path = { session_id: session.id };
  const said = await postMessage({
    path,
    query: { wait: 30 },
    body: { text: "Write it down" },
    throwOnError: true,
  });
  if (!("approvals" in said.data)) throw new Error("no turn");
  const tools = said.data.approvals.map((approval) => approval.tool);
  for (const approval of said.data.approvals)
    await answerApproval({ path: { waiting_id: approval.id }, body: { decision: "once" }, throwOnError: true });
  const { data: turn } = await getTurn({
    path: { ...path, turn_id: said.data.id },
    query: { wait: 30 },
    throwOnError: true,
  });
  const { data: events } = await listEvents({ path, throwOnError: true });
  const ended = events.items.some((event) => event.type === "foldline.session.became_idle.v1");
  console.log(JSON.stringify({ tools, status: turn.status, answer: turn.answer, ended }));
}

void main();
