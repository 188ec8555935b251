/** The gateway's operations on how a person is reached away from the page. */
import type { components } from "../../../contracts/api";
import { answerOf, api } from "../../../lib/api";

type Schemas = components["schemas"];

export type Notifications = Schemas["Notifications"];
export type Channel = Schemas["ShownChannel"];
export type Written = Schemas["WrittenChannel"];
export type WriteChannel = Schemas["WriteChannel"];
export type Offered = Schemas["OfferedChannel"];
export type Target = NonNullable<WriteChannel["target"]>;
export type Preferences = Schemas["ShownPreferences"];
export type Kind = Channel["kinds"][number];

export function readNotifications(signal: AbortSignal): Promise<Notifications> {
  return answerOf(api.GET("/notifications", { signal }));
}

/** What is left out of `body` stays as it was. */
export function writeChannel(name: string, body: WriteChannel): Promise<Written> {
  return answerOf(api.PUT("/notifications/channels/{name}", { params: { path: { name } }, body }));
}

export function deleteChannel(name: string) {
  return answerOf(api.DELETE("/notifications/channels/{name}", { params: { path: { name } } }));
}

/** Sends a test message; whether it was taken. */
export function testChannel(name: string) {
  return answerOf(api.POST("/notifications/channels/{name}:test", { params: { path: { name } } }));
}

export function writePreferences(body: Preferences): Promise<Preferences> {
  return answerOf(api.PATCH("/notifications/preferences", { body }));
}

export async function pushKey(): Promise<string> {
  return (await answerOf(api.GET("/notifications/push-key"))).public_key;
}

export function subscribe(body: Omit<Schemas["WebPush"], "kind">): Promise<Written> {
  return answerOf(api.POST("/notifications/channels", { body: { kind: "web_push", ...body } }));
}
