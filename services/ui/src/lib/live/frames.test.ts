import { expect, test } from "vitest";
import { addressOf } from "../address";
import { type Frame, frameReader } from "./frames";

/** The frames and flaws that a stream of these chunks holds. */
function read(...chunks: string[]) {
  const frames: Frame[] = [];
  const flaws: string[] = [];
  const feed = frameReader(
    (frame) => frames.push(frame),
    (flaw) => flaws.push(String(flaw)),
  );
  const after = chunks.map((chunk) => {
    feed(chunk);
    return frames.length;
  });
  return { frames, flaws, after };
}

const texts = (frames: readonly Frame[]) =>
  frames.map((frame) => (frame.kind === "delta" ? frame.delta.text : frame.kind));
const delta = (text: string) => `event: delta\ndata: {"text":"${text}"}\n\n`;

test("a frame is whole only after its empty line", () => {
  const { frames, after } = read("event: event\nid: 7\nda", 'ta: {"a":1}\n', "\n");
  expect(after).toEqual([0, 0, 1]);
  expect(frames).toEqual([{ kind: "event", sequence: 7, event: { a: 1, sequence: 7 } }]);
});

test("heartbeats, bare ids, retry times and kinds from a later version are not frames", () => {
  const { frames, flaws } = read(
    ": heartbeat\n\nretry: 1000\nid: 4\n\nevent: later\ndata: {}\n\ndata: {}\n\n",
  );
  expect([frames, flaws]).toEqual([[], []]);
});

test("an id does not leak into the next frame", () => {
  const { frames, flaws } = read('id: 7\ndata: {}\n\nevent: event\ndata: {"a":1}\n\n');
  expect(frames).toEqual([]);
  expect(flaws).toEqual(['Error: "" is not an event\'s address']);
});

test("data over several lines is joined", () => {
  expect(texts(read('event: delta\ndata: {"text":\ndata:"a"}\n\n').frames)).toEqual(["a"]);
});

test("line ends of every kind, even cut in the middle", () => {
  const [a, b, c] = ["a", "b", "c"].map((text) => delta(text).split("\n"));
  const { frames } = read(
    `${a?.join("\r")}`.slice(0, -1),
    "\r\n",
    "\r",
    `\n${b?.join("\r\n")}`,
    c?.join("\n") ?? "",
  );
  expect(texts(frames)).toEqual(["a", "b", "c"]);
});

test("every byte in a chunk of its own", () => {
  expect(texts(read(...(delta("é") + delta("b")).split("")).frames)).toEqual(["é", "b"]);
});

test("one frame that can't be read does not stop those after it", () => {
  const { frames, flaws } = read(
    `event: event\nid: 1\ndata: {not json\n\nevent: event\nid: -1\ndata: {}\n\nevent: event\nid: 1e99\ndata: {}\n\n${delta("b")}`,
  );
  expect(texts(frames)).toEqual(["b"]);
  expect(flaws).toHaveLength(3);
});

test("the events of one record have ids of their own", () => {
  const { frames } = read("event: event\nid: 7.0\ndata: {}\n\nevent: event\nid: 7.1\ndata: {}\n\n");
  const places = frames.map((frame) => (frame.kind === "event" ? frame.event.sequence : 0));
  expect(places.map(addressOf)).toEqual(["7.0", "7.1"]);
});
