import { expect, test } from "vitest";
import { page, said, session } from "../../../testing/given";
import { says } from "../../../testing/rows";
import { changed, delivered, outgoing, visible } from "./outbox";
import { opened, withChanged } from "./page";

const empty = () => opened(session(), page());
const hello = outgoing("k1", said("Hello"), 1, 0);

test("a message on its way is shown until the log has it", () => {
  const accepted = changed([hello], "k1", { state: "accepted", sequence: 2 });
  expect(delivered(accepted, empty())).toEqual(accepted);
  expect(delivered(accepted, withChanged(empty(), says(2, "Hello")))).toEqual([]);
});

test("an event that overtakes its request's answer is not shown twice", () => {
  const view = withChanged(empty(), says(2, "Hello"));
  expect(visible([hello], view)).toEqual([]);
});

test("two equal messages sent at once are told apart", () => {
  const again = outgoing("k2", said("Hello"), 1, 1);
  const view = withChanged(empty(), says(2, "Hello"));
  expect(visible([hello, again], view)).toEqual([again]);
});

test("an earlier message of the same text does not hide the one being sent", () => {
  const view = withChanged(empty(), says(2, "Hello"));
  const later = outgoing("k2", said("Hello"), view.session.last_sequence, 1);
  expect(visible([later], view)).toEqual([later]);
});

test("a message that failed stays in sight", () => {
  const failed = changed([hello], "k1", { state: "failed", problem: "no" });
  const view = withChanged(empty(), says(2, "Hello"));
  expect(visible(failed, view)).toEqual(failed);
});
