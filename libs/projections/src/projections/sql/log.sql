-- What readers query: how far it has come, and the log itself. sessions.sql and entities.sql have the rest.
-- Everything here is folded from the log and can be thrown away and built again.
--
-- Names are unqualified: the projector runs these files with search_path set to the schema that it fills
-- (`projections`; a rebuild fills `projections_next` and swaps the names). Readers set search_path to `projections`.
-- Each commit is announced on the channel `projections` (LISTEN), with the checkpoint's sequence as payload.
-- An event's `place` is one number that sorts: 4096 × N (`sequence`, its record's), and i + 1 more where its record
-- holds several and its address is N.i.
-- In jsonb columns SQL null means absent; a tool's result may be the JSON null.

-- How far the rows have come: they hold every event up to and including `sequence`, and none after.
CREATE TABLE checkpoint (
    consumer    text        PRIMARY KEY,
    sequence    bigint      NOT NULL,
    version     text        NOT NULL,               -- which schema and mapping made the rows
    updated_at  timestamptz NOT NULL DEFAULT now()
);

-- Everything in the log: archive, search, and the source of repairs.
CREATE TABLE events (
    place       bigint      PRIMARY KEY,            -- where it stands, see above
    sequence    bigint      NOT NULL GENERATED ALWAYS AS (place / 4096) VIRTUAL,
    subject     text        NOT NULL,
    session_id  text,                               -- null for what belongs to an agent (agt.…)
    agent_id    text,
    type        text        NOT NULL,               -- '' if the message has no envelope
    time        timestamptz,                        -- null if the message has no readable time
    actor       text,
    event_id    text,
    causation   bigint,
    prev        bigint,
    traceparent text,
    body        jsonb       NOT NULL,               -- as written, without its `type`; U+0000 appears as the text \u0000
    problem     text                                -- why the event could not be projected; null for a good one
);
CREATE INDEX events_of_session ON events (session_id, place) WHERE session_id IS NOT NULL;
-- What became of an agent, without its values: the agent as of an event is one scan of this.
CREATE INDEX events_of_agent ON events (agent_id, place) INCLUDE (subject, type)
    WHERE session_id IS NULL AND problem IS NULL;
CREATE INDEX events_of_quarantine ON events (agent_id)
    WHERE type = 'foldline.session.tool_quarantined.v1';
-- Reminders and runs of tasks that came late.
CREATE INDEX events_that_came_late ON events (session_id, time) WHERE body ? 'late' OR body->'begun_by' ? 'late';
CREATE INDEX events_that_sent ON events (time, place) WHERE body ? 'sent';
CREATE INDEX events_that_worked ON events (time, place) WHERE body ? 'worked';
-- What the apps of foreign servers called: the beginning and the end of each call, by the session's call whose app it is.
CREATE INDEX events_of_apps ON events
    ((body->'value'->'by_app'->>'session_id'), (body->'value'->'by_app'->>'of'), place)
    WHERE body->'value' ? 'by_app';
CREATE INDEX events_with_problem ON events (place) WHERE problem IS NOT NULL;
