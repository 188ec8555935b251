/** What a channel is called, and how it does, in words. */
import { clockTime, dayWords } from "../../../lib/words";
import type { Channel, Kind } from "../api/requests";

export const KINDS: Readonly<Record<Kind, string>> = {
  question: "questions",
  reminder: "reminders",
  failure: "failures",
};

export const leadsTo = ({ noun, leads_to: place }: Channel): string => (place ? `${noun}: ${place}` : noun);

export interface Told {
  text: string;
  trouble: boolean;
}

export function howItDoes(channel: Channel, now: Date): Told {
  if (!channel.readable) {
    return {
      text: "It can't be read: the key of the secrets or this kind of channel has changed. Set it again.",
      trouble: true,
    };
  }
  if (channel.gone) {
    return { text: "The browser no longer takes messages. Turn them on there again.", trouble: true };
  }
  if (channel.error !== null) {
    const times = channel.failures > 1 ? ` (${channel.failures} times in a row)` : "";
    return { text: `The last attempt failed${times}: ${channel.error}`, trouble: true };
  }
  if (!channel.enabled) return { text: "Off", trouble: false };
  if (channel.delivered_at === null) return { text: "Nothing was sent yet", trouble: false };
  const when = `${dayWords(channel.delivered_at, now)} ${clockTime(channel.delivered_at)}`;
  return { text: `Last message delivered: ${when}`, trouble: false };
}
