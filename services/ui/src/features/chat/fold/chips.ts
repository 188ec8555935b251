/** What one can try first: a click says it, or puts its beginning into the box. */

interface Chip {
  label: string;
  text: string;
  send: boolean;
}

/** For any model. */
export const FIRST_CHIPS: readonly Chip[] = [
  {
    label: "Make a tool",
    text: "Make a tool that converts degrees Celsius to Fahrenheit, and use it for 21.5 °C.",
    send: true,
  },
  {
    label: "Rewind it",
    text:
      "Store the colour blue in your state, then replace it with red, and tell me how I rewind this chat to when " +
      "it was blue.",
    send: true,
  },
  { label: "Remember …", text: "Remember that ", send: false },
];

/** For the demo model, which knows these words. */
export const DEMO_CHIPS: readonly Chip[] = [
  { label: "Make a tool", text: "Make a tool", send: true },
  { label: "Rewind it", text: "Rewind", send: true },
  { label: "Ask me something", text: "Ask me something", send: true },
  { label: "Show progress", text: "Show progress", send: true },
  { label: "Remember …", text: "Remember that ", send: false },
];
