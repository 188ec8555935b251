/** What a `render_and_wait` call shows, as its tool recorded it. */

export interface StoredComponent {
  name: string;
  /** The event that wrote the version it was pinned to. */
  at: number;
  props: Record<string, unknown>;
}

type Show = Readonly<Record<string, unknown>>;

/** Which stored component it is; null: it was written in the call. */
export function storedOf(show: Show): StoredComponent | null {
  const { component, at } = show;
  if (typeof component !== "string" || typeof at !== "number") return null;
  return { name: component, at, props: propsOf(show) };
}

/** A component that was written in the call itself; `at` is the event as of which its libraries are read. */
export function inlinePage(show: Show, at: string | null) {
  const name = typeof show.title === "string" && show.title ? show.title : "Component";
  const code = typeof show.code === "string" ? show.code : "";
  const unknown = { version: 0, sequence: 0, by: null, broughtBy: null };
  return { name, description: "", code, props: propsOf(show), at, ...unknown };
}

function propsOf({ props }: Show): Record<string, unknown> {
  return typeof props === "object" && props !== null ? (props as Record<string, unknown>) : {};
}
