/** The gateway's operations for going back, and for going another way. */
import { request } from "../../../lib/http";
import type { Place } from "../../../lib/rewinding";
import type { Forked, RollbackPreview, RolledBack } from "../../../lib/wire";
import type { RollbackBody } from "../fold/plan";

export interface ForkWishes {
  message: string;
  model: string;
}

const path = ({ sessionId }: Place, action: string) => `/sessions/${encodeURIComponent(sessionId)}/${action}`;

/** What going back there would do. */
export function preview(place: Place, signal: AbortSignal): Promise<RollbackPreview> {
  return request(path(place, "rollback-preview"), { query: { to: place.at }, signal });
}

/** Go back. A repeat with the same key finishes what was begun. */
export function rollBack(place: Place, body: RollbackBody, key: string): Promise<RolledBack> {
  return request(path(place, "rollback"), { method: "POST", body, idempotencyKey: key });
}

/** Begin a session with the history up to there. */
export function fork(place: Place, wishes: ForkWishes, key: string): Promise<Forked> {
  const body = { at: place.at, message: wishes.message.trim() || null, model: wishes.model.trim() || null };
  return request(path(place, "fork"), { method: "POST", body, idempotencyKey: key });
}

/** Begin a session in the middle of a turn, whose next model call really happens. */
export function replayLive(place: Place, key: string): Promise<Forked> {
  const body = { mode: "live", at: place.at };
  return request(path(place, "replay"), { method: "POST", body, idempotencyKey: key });
}
