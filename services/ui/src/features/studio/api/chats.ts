/** The gateway's operations on people who write to agents from other programs. */
import { answerOf, api } from "../../../lib/api";

const of = (id: string) => ({ params: { path: { partner_id: id } } });

export async function readChats(signal: AbortSignal) {
  const [partners, channels] = await Promise.all([
    answerOf(api.GET("/chat-partners", { signal })),
    answerOf(api.GET("/chat-channels", { signal })),
  ]);
  return { partners: partners.items, channels: channels.items };
}

/** Let somebody write to an agent, who was told this code. */
export const allowChat = (id: string, code: string, agentId: string) =>
  answerOf(api.POST("/chat-partners/{partner_id}:allow", { ...of(id), body: { code, agent_id: agentId } }));

export const removeChat = (id: string) => answerOf(api.DELETE("/chat-partners/{partner_id}", of(id)));
