import { expect, test } from "vitest";
import { eventParser } from "./serverSentEvents";

test("an event is whole only after its empty line", () => {
  const parse = eventParser();
  expect(parse("event: event\nid: 7\nda")).toEqual([]);
  expect(parse('ta: {"a":1}\n')).toEqual([]);
  expect(parse("\n")).toEqual([{ event: "event", id: "7", data: '{"a":1}' }]);
});

test("heartbeats and bare ids are no events", () => {
  expect(eventParser()(": heartbeat\n\nretry: 1000\nid: 4\n\n")).toEqual([]);
});

test("an id does not leak into the next event", () => {
  const found = eventParser()("id: 7\ndata: a\n\nevent: delta\ndata: b\n\n");
  expect(found.map(({ event, id }) => [event, id])).toEqual([
    ["message", "7"],
    ["delta", null],
  ]);
});

test("data over several lines is joined, and only one space after the colon is dropped", () => {
  expect(eventParser()("data:  a\ndata:b\n\n")[0]?.data).toBe(" a\nb");
});

test("line ends of every kind, even cut in the middle", () => {
  const parse = eventParser();
  expect([...parse("data: a\r"), ...parse("\n\r"), ...parse("\ndata: b\r\r")].map((one) => one.data)).toEqual(
    ["a"],
  );
  expect(parse("data: c\n\n").map((one) => one.data)).toEqual(["b", "c"]);
});
