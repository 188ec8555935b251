/** The gateway's operations for going back, and for going another way. */
import { addressOf } from "../../../lib/address";
import { answerOf, api, once } from "../../../lib/api";
import type { AgentPlace, Place } from "../../../lib/rewinding";
import type {
  AgentRewindPreview,
  AgentRewound,
  ForkedSession,
  RewindBody,
  RewindPreview,
  Rewound,
  SentFile,
  ThingInTime,
} from "../../../lib/wire";
import type { AgentRewindBody } from "../fold/agentRewind";

export interface ForkWishes {
  message: string;
  /** What comes with the message, as it was. */
  files: readonly SentFile[];
  model: string;
}

const path = ({ sessionId }: Place) => ({ session_id: sessionId });

/** What going back there would do. */
export function preview(place: Place, signal: AbortSignal): Promise<RewindPreview> {
  const params = { path: path(place), query: { to: addressOf(place.at) } };
  return answerOf(api.GET("/sessions/{session_id}/rewind-preview", { params, signal }));
}

/** Go back. A repeat with the same key finishes what was begun. */
export function rewind(place: Place, body: RewindBody, key: string): Promise<Rewound> {
  const params = { path: path(place), header: once(key) };
  return answerOf(api.POST("/sessions/{session_id}:rewind", { params, body }));
}

/** Begin a session with the history up to there. */
export function fork(place: Place, wishes: ForkWishes, key: string): Promise<ForkedSession> {
  const params = { path: path(place), header: once(key) };
  const body = {
    at: addressOf(place.at),
    message: wishes.message.trim() || null,
    model: wishes.model.trim() || null,
    files: wishes.files.map(({ file_id, version }) => ({ file_id, version })),
  };
  return answerOf(api.POST("/sessions/{session_id}:fork", { params, body }));
}

/** Begin a session in the middle of a turn, whose next model call really happens. */
export async function replayLive(place: Place, key: string): Promise<ForkedSession> {
  const params = { path: path(place), header: once(key) };
  const body = { mode: "live" as const, at: addressOf(place.at) };
  const made = await answerOf(api.POST("/sessions/{session_id}:replay", { params, body }));
  if (!("id" in made)) throw new Error("The gateway replayed the session strictly, and made no fork.");
  return made;
}

const ofAgent = ({ agentId }: AgentPlace) => ({ agent_id: agentId });

/** What would make the agent what it was. */
export function previewAgentRewind(place: AgentPlace, signal: AbortSignal): Promise<AgentRewindPreview> {
  const params = { path: ofAgent(place) };
  return answerOf(api.POST("/agents/{agent_id}:rewind-preview", { params, body: { to: place.to }, signal }));
}

/** Make the agent what it was. Once it has begun it resumes automatically; a repeat with the same key asks how it went. */
export function rewindAgent(place: AgentPlace, body: AgentRewindBody, key: string): Promise<AgentRewound> {
  const params = { path: ofAgent(place), header: once(key) };
  return answerOf(api.POST("/agents/{agent_id}:rewind", { params, body }));
}

/** One thing then and now. */
export function readThing(
  place: AgentPlace,
  thing: { kind: string; name: string },
  signal: AbortSignal,
): Promise<ThingInTime> {
  const query = { kind: thing.kind as "state", name: thing.name, at: String(place.to) };
  const params = { path: ofAgent(place), query };
  return answerOf(api.GET("/agents/{agent_id}/moment/thing", { params, signal }));
}
