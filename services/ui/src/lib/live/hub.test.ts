import { expect, test, vi } from "vitest";
import { openHub } from "./hub";
import type { Live } from "./openLive";

/** A connection that counts who listens, and a hub before it. */
function hub() {
  let listening = 0;
  const began = vi.fn();
  const live = {
    subscribe: () => {
      listening += 1;
      began();
      let open = true;
      return {
        close: () => {
          if (open) listening -= 1;
          open = false;
        },
        followOn: () => {},
        followAfter: () => {},
      };
    },
  } as unknown as Live;
  return { ...openHub(live, () => {}), began, listening: () => listening };
}

const want = (tab: string, turn: number) => ({ kind: "want" as const, tab, turn, after: null, watch: [] });

test("a tab that says the same again, since it was not sure that it was heard, is not listened for twice", () => {
  const one = hub();
  one.heard(want("a", 1));
  one.heard(want("a", 1));
  expect(one.began).toHaveBeenCalledTimes(1);
  one.heard(want("a", 2));
  one.heard(want("b", 1));
  expect(one.began).toHaveBeenCalledTimes(3);
  expect(one.listening()).toBe(2);
  one.heard({ kind: "leave", tab: "a" });
  expect(one.listening()).toBe(1);
  one.close();
  expect(one.listening()).toBe(0);
});
