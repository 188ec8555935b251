/** How an event changes what the agent has. */
import type { EntityDeleted, EntityWritten } from "../../../contracts/events";
import type { LogEvent } from "../../../lib/wire";
import { isText, type Section, sectionOf } from "./sections";
import { type Item, itemOf, keyOf, type StudioView } from "./view";

/** Kinds that the room of schedules shows. */
const TIMED = new Set<string>(["reminder", "schedule", "run"]);

/** The view after an event; the same view if the event is about nothing in it, or older than what it shows. */
export function evolve(view: StudioView, event: LogEvent): StudioView {
  switch (event.type) {
    case "foldline.agent.entity_written.v1":
    case "foldline.agent.entity_deleted.v1": {
      if (event.body.kind === "setting")
        return event.sequence > view.settings ? { ...view, settings: event.sequence } : view;
      if (event.body.kind === "file")
        return event.sequence > view.files ? { ...view, files: event.sequence } : view;
      if (TIMED.has(event.body.kind))
        return event.sequence > view.times ? { ...view, times: event.sequence } : view;
      const section = sectionOf(event.body.kind);
      return section ? changed(view, section, event) : view;
    }
    case "foldline.agent.database_written.v1":
    case "foldline.agent.database_restored.v1":
      return event.sequence > view.database ? { ...view, database: event.sequence } : view;
    default:
      return view;
  }
}

type EntityEvent = LogEvent & { body: Omit<EntityWritten, "type"> | Omit<EntityDeleted, "type"> };

function changed(view: StudioView, section: Section, event: EntityEvent): StudioView {
  const { sequence, actor, body } = event;
  // Of a text there is one: its section is its name.
  const name = isText(section) ? section : body.name;
  const key = keyOf(section, name);
  if ((view.changed[key] ?? 0) >= sequence) return view;
  if (!isText(section) && (view.lists[section][name]?.sequence ?? 0) >= sequence) return view;
  const version = "version" in body ? body.version : null;
  return {
    ...view,
    lists: isText(section)
      ? view.lists
      : { ...view.lists, [section]: withItem(view.lists[section], name, event) },
    changed: { ...view.changed, [key]: sequence },
    latest: { sequence, section, name, by: actor, version },
  };
}

function withItem(
  items: Readonly<Record<string, Item>>,
  name: string,
  { sequence, time, actor, body }: EntityEvent,
): Readonly<Record<string, Item>> {
  if (!("version" in body && "value" in body)) {
    const { [name]: _gone, ...rest } = items;
    return rest;
  }
  const { version, session_id = null, call_id = null, value } = body;
  const written = { version, sequence, time, actor: actor as Item["actor"], session_id, call_id };
  // The value of a state's key is whatever it is; those of the other kinds are of one shape.
  const shape = body.kind === "state" ? {} : (value as Partial<Item>);
  return { ...items, [name]: itemOf({ ...shape, ...written, name }) };
}
