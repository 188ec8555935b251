-- What agents have, as it is now: each row is the last event on an entity's subject (agt.<agent>.<kind>.<name>), and
-- a deleted entity has none. agent_config_history alone shows what was. See log.sql for the rules of all tables.
--
-- Everywhere `sequence`, `modified_on`, `actor` (user, agent or service) and, where an agent wrote it, `session_id`
-- and `call_id` are those of the event that made the row what it is; `version` counts the entity's events from 1, and
-- from 1 again after a deletion. `created_on` is the time of version 1.
-- An event whose value doesn't fit its kind changes nothing here; it is in `events`, with its problem.
-- Nothing is cut off: what agents may store is bounded where it is written (a text or a value of the state 1 MiB,
-- code 256 Ki characters, a schema 64 KiB).

-- Everything that agents have, of all kinds but those that are in `events` alone (`has_row` in agent_contracts/kinds).
-- `value` has every member of the kind's struct, those by default too; a time in it is RFC 3339 in UTC.
CREATE TABLE entities (
    agent_id    text        NOT NULL,
    kind        text        NOT NULL,
    name        text        NOT NULL,
    value       jsonb       NOT NULL,
    enabled     boolean,                            -- as in `value`; null of a kind that can't be
    version     bigint      NOT NULL,
    sequence    bigint      NOT NULL,
    actor       text        NOT NULL,
    session_id  text,
    call_id     text,
    created_on  timestamptz NOT NULL,
    modified_on timestamptz NOT NULL,
    PRIMARY KEY (agent_id, kind, name)
);
-- The files and reminders of a session.
CREATE INDEX entities_of_session ON entities (agent_id, (value->>'session_id'), kind)
    WHERE kind IN ('file', 'reminder');

-- What became of each due time of each scheduled task: the last that its entity `run` tells of it. The runs of a task
-- that was deleted stay: they happened. In `version` order the last row of a task says where it stands.
CREATE TABLE schedule_runs (
    agent_id    text        NOT NULL,
    schedule_id text        NOT NULL,
    due_on      timestamptz NOT NULL,               -- of a run by hand: when it was asked for
    by_hand     boolean     NOT NULL,
    outcome     text        NOT NULL,               -- asked, queued, started, succeeded, failed, stopped, skipped, missed
    ran_in      text,                               -- the session that it made
    reason      text,                               -- why it failed, was skipped or missed
    failures    bigint      NOT NULL,               -- so many runs have failed in a row after it
    version     bigint      NOT NULL,               -- of the entity `run`
    sequence    bigint      NOT NULL,
    actor       text        NOT NULL,
    session_id  text,
    call_id     text,
    modified_on timestamptz NOT NULL,
    PRIMARY KEY (agent_id, schedule_id, due_on, by_hand)
);

-- The views below have the names and columns that people and other programs query.

-- The agents there are. One that was deleted is gone from here; what it had stays, as it does in the log.
CREATE VIEW agents AS SELECT
    agent_id, value->>'name' AS name, version, sequence, actor, session_id, call_id,
    (value->>'created_at')::timestamptz AS created_on, modified_on
FROM entities WHERE kind = 'agent';

-- The tools that agents made.
CREATE VIEW agent_tools AS SELECT
    agent_id, name, value->>'description' AS description, value->'parameter_schema' AS parameter_schema,
    value->>'code' AS code, enabled,
    version, sequence, actor, session_id, call_id, created_on, modified_on
FROM entities WHERE kind = 'tool';

-- Functions: code that an agent's tools, pages and people call by name, and models are not offered.
CREATE VIEW functions AS SELECT
    agent_id, name, value->>'description' AS description, value->'parameter_schema' AS parameter_schema,
    value->>'code' AS code, enabled,
    version, sequence, actor, session_id, call_id, created_on, modified_on
FROM entities WHERE kind = 'function';

-- Modules that code of the same agent may `require`.
CREATE VIEW libraries AS SELECT
    agent_id, name, value->>'description' AS description, value->>'code' AS code,
    version, sequence, actor, session_id, call_id, created_on, modified_on
FROM entities WHERE kind = 'library';

-- The pages and other React components that agents made. `props_schema` is null if it gave none.
CREATE VIEW agent_ui_components AS SELECT
    agent_id, name, value->>'description' AS description, value->>'code' AS code,
    nullif(value->'props_schema', 'null') AS props_schema,
    version, sequence, actor, session_id, call_id, created_on, modified_on
FROM entities WHERE kind = 'component';

-- Knowledge written down: models see name, description and tags, and read the content when they need it.
CREATE VIEW skills AS SELECT
    agent_id, name, value->>'description' AS description, value->>'content' AS content,
    value->'tags' AS tags, enabled,
    version, sequence, actor, session_id, call_id, created_on, modified_on
FROM entities WHERE kind = 'skill';

-- The notepads: what one session, which is its name, has written down for itself. What an agent noted for all of them
-- is agent_config.learned_notes. `session_id` is who wrote it: not always the session whose it is.
CREATE VIEW notes AS SELECT
    agent_id, name, value #>> '{}' AS text,
    version, sequence, actor, session_id, call_id, created_on, modified_on
FROM entities WHERE kind = 'notepad';

-- The plans: goal, to-dos and memos of one session, which is its name.
CREATE VIEW plans AS SELECT
    agent_id, name, value #>> '{}' AS text,
    version, sequence, actor, session_id, call_id, created_on, modified_on
FROM entities WHERE kind = 'plan';

-- The playbooks: ways of working that an agent wrote down to follow again; `description` is the goal that it reaches.
CREATE VIEW playbooks AS SELECT
    agent_id, name, value->>'description' AS description, value->'workflow' AS workflow,
    value->>'initial_command' AS initial_command, value->>'success_criteria' AS success_criteria,
    version, sequence, actor, session_id, call_id, created_on, modified_on
FROM entities WHERE kind = 'playbook';

-- The files: the current version of each, by its id. Its bytes are the blob of that hash (SHA-256), in the log's store
-- and not here. `workspace_id` is the session at the top of the tree; null: the agent's file.
CREATE VIEW files AS SELECT
    agent_id, name, value->>'path' AS path, value->>'media_type' AS media_type,
    (value->>'size')::bigint AS size, value->>'blob' AS blob, value->>'scope' AS scope,
    value->>'session_id' AS workspace_id, value->>'source' AS source, value->>'made_from' AS made_from,
    value->>'forked_from' AS forked_from,
    version, sequence, actor, session_id, call_id, created_on, modified_on
FROM entities WHERE kind = 'file';

-- What agents remember from session to session, under keys of their own: any JSON, null too.
CREATE VIEW agent_state AS SELECT
    agent_id, name AS key, value, version, sequence, actor, session_id, call_id, modified_on
FROM entities WHERE kind = 'state';

-- The reminders, by their ids: those to come (`done` is null), and as what they ended (told or missed).
CREATE VIEW reminders AS SELECT
    agent_id, name, value->>'session_id' AS reminds, (value->>'at')::timestamptz AS due_on,
    value->>'message' AS message, value->>'done' AS done, nullif(value->'again', 'null') AS again,
    (value->>'quiet')::boolean AS quiet,
    version, sequence, actor, session_id, call_id, created_on, modified_on
FROM entities WHERE kind = 'reminder';

-- The scheduled tasks, by their ids; `title` is what people call one. One that runs once has `due_on`, others `cron`.
-- `model` and `token_limit`: null is the agent's.
CREATE VIEW schedules AS SELECT
    agent_id, name, value->>'name' AS title, value->>'task' AS task, (value->>'at')::timestamptz AS due_on,
    value->>'cron' AS cron, value->>'timezone' AS timezone, value->>'model' AS model,
    (value->>'token_limit')::bigint AS token_limit, value->>'misfire' AS misfire,
    value->>'overlap' AS overlap, enabled,
    value->>'paused_because' AS paused_because,
    version, sequence, actor, session_id, call_id, created_on, modified_on
FROM entities WHERE kind = 'schedule';

-- The wakes that wait in agents' inboxes. One that was taken or dismissed is gone from here; what came of the others
-- is in `events`. `source` are the credentials with which it came, `meant_for` is the session that it named.
CREATE VIEW inbox AS SELECT
    agent_id, name, value->>'source' AS source, value->>'wake_id' AS wake_id,
    value->>'wake_type' AS wake_type, value->>'message' AS message, value->'data' AS data,
    value->>'session_id' AS meant_for, value->>'priority' AS priority,
    (value->>'at')::timestamptz AS arrived_on, (value->>'until')::timestamptz AS kept_until,
    version, sequence, actor, session_id, call_id, created_on, modified_on
FROM entities WHERE kind = 'inbox';

-- Each edit of an agent's prompt and notes, deletions too; `version` counts them and is never reset. A row holds the
-- text that its edit changed and not the other. What an agent worked by at version V is the newest row up to V of each
-- `changed`. `entity_version` is that of the text; 0 if it was deleted.
CREATE INDEX events_of_texts ON events (agent_id, place)
    WHERE split_part(subject, '.', 3) IN ('prompt', 'notes') AND session_id IS NULL AND problem IS NULL;
CREATE VIEW agent_config_history AS SELECT
    agent_id, row_number() OVER (PARTITION BY agent_id ORDER BY place) AS version,
    CASE kind WHEN 'prompt' THEN 'system_prompt' ELSE 'learned_notes' END AS changed,
    CASE kind WHEN 'prompt' THEN text END AS system_prompt, CASE kind WHEN 'notes' THEN text END AS learned_notes,
    coalesce(entity_version, 0) AS entity_version, sequence, actor, session_id, call_id, time AS created_on
FROM (
    SELECT agent_id, place, sequence, actor, time, split_part(subject, '.', 3) AS kind,
        body->>'session_id' AS session_id, body->>'call_id' AS call_id,
        (body->>'version')::bigint AS entity_version,
        coalesce(body->'value'->>'text', body->>'value') AS text
    FROM events
    WHERE split_part(subject, '.', 3) IN ('prompt', 'notes') AND session_id IS NULL AND problem IS NULL
        AND subject IN ('agt.' || agent_id || '.prompt.prompt', 'agt.' || agent_id || '.notes.notes')
) edits;

-- What each agent works by: its prompt and its notes, null where it has none of its own. Here `version` is the last one
-- of agent_config_history, and `prompt_version` and `notes_version` are those of the texts; 0 where one is not there.
CREATE VIEW agent_config AS SELECT
    last.agent_id, prompt.value #>> '{}' AS system_prompt, notes.value #>> '{}' AS learned_notes,
    coalesce(prompt.version, 0) AS prompt_version, coalesce(notes.version, 0) AS notes_version,
    last.version, last.sequence, last.actor, last.session_id, last.call_id, last.created_on AS modified_on
FROM (
    SELECT DISTINCT ON (agent_id) agent_id, version, sequence, actor, session_id, call_id, created_on
    FROM agent_config_history ORDER BY agent_id, version DESC
) last
LEFT JOIN entities prompt
    ON prompt.agent_id = last.agent_id AND prompt.kind = 'prompt' AND prompt.name = 'prompt'
LEFT JOIN entities notes ON notes.agent_id = last.agent_id AND notes.kind = 'notes' AND notes.name = 'notes';

-- Rows that change are written anew, and what is erased leaves gaps: both are filled by what comes, once a vacuum has
-- found them. Postgres' own measure, a fifth of a table, comes late for large ones.
ALTER TABLE sessions SET (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE messages SET (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE tool_calls SET (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE model_calls SET (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE events SET (autovacuum_vacuum_scale_factor = 0.05);
