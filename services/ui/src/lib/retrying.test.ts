import { expect, test, vi } from "vitest";
import { Problem, Unreachable } from "./problems";
import { retrying } from "./retrying";

const atOnce = async () => {};
const failing = (...failures: unknown[]) => {
  const action = vi.fn(async () => {
    const failure = failures.shift();
    if (failure) throw failure;
    return "done";
  });
  return action;
};

test("a passing failure is tried again", async () => {
  const action = failing(new Unreachable("cut"), new Problem(503, "unavailable", "busy"));
  await expect(retrying(action, 4, atOnce)).resolves.toBe("done");
  expect(action).toHaveBeenCalledTimes(3);
});

test("a refusal is final", async () => {
  const action = failing(new Problem(409, "session_closed", "ended"));
  await expect(retrying(action, 4, atOnce)).rejects.toThrow("ended");
  expect(action).toHaveBeenCalledTimes(1);
});

test("it gives up with the last failure", async () => {
  const action = failing(...Array.from({ length: 9 }, () => new Unreachable("cut")));
  await expect(retrying(action, 3, atOnce)).rejects.toBeInstanceOf(Unreachable);
  expect(action).toHaveBeenCalledTimes(3);
});
