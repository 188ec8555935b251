/** How old what the gateway answers is: its lists may lack what the log has. */
import { createStore } from "./store";

export interface Behind {
  /** So many events are not in the lists. */
  events: number;
  /** When something was added to them last. */
  asOf: string | null;
}

/** Of the newest answer that came from lists; null where that was as of now. */
export const age = createStore<Behind | null>(null);

/** Takes from an answer what it tells of its age. */
export function hearAge(headers: Headers): void {
  const told = headers.get("Foldline-Behind");
  if (told === null) return;
  const events = Number(told);
  const asOf = headers.get("Foldline-As-Of");
  age.set((last) => {
    if (events === 0) return null;
    return last?.events === events && last.asOf === asOf ? last : { events, asOf };
  });
}
