-- What agents have, as it is now: each row is the last event on an entity's subject (agt.<agent>.<kind>.<name>), and
-- a deleted entity has none. agent_config_history alone keeps what was. See log.sql for the rules of all tables.
--
-- In every table `sequence`, `modified_on`, `actor` (user, agent or service) and, where an agent wrote it,
-- `session_id` and `call_id` are those of the event that made the row what it is; `version` counts the entity's
-- events from 1, and from 1 again after a deletion. `created_on` is the time of version 1.
-- An event whose value doesn't fit its kind changes nothing here; it is in `events`, with its problem.
-- Nothing is cut off: what agents may store is bounded where it is written (a text or a value of the state 1 MiB,
-- code 256 Ki characters, a schema 64 KiB).

-- The agents there are. One that was deleted is gone from here; what it had stays, as it does in the log.
CREATE TABLE agents (
    agent_id    text        PRIMARY KEY,
    name        text        NOT NULL,               -- what people call it
    version     bigint      NOT NULL,
    sequence    bigint      NOT NULL,
    actor       text        NOT NULL,
    session_id  text,
    call_id     text,
    created_on  timestamptz NOT NULL,
    modified_on timestamptz NOT NULL
);

-- What each agent works by: its prompt and its notes. Here `version` counts the edits of both, whichever of the two
-- they changed and deletions too, and is never reset: it is a place in agent_config_history.
CREATE TABLE agent_config (
    agent_id       text        PRIMARY KEY,
    system_prompt  text,                            -- null: it has none of its own, and works by the built-in one
    learned_notes  text,                            -- null: it has none
    prompt_version bigint      NOT NULL,            -- of the entity itself; 0 where it is not there
    notes_version  bigint      NOT NULL,
    version        bigint      NOT NULL,
    sequence       bigint      NOT NULL,
    actor          text        NOT NULL,
    session_id     text,
    call_id        text,
    modified_on    timestamptz NOT NULL
);

-- Each version of agent_config, the present one included. A row holds the text that its edit changed and not the
-- other: with both, each small note would cost a copy of the prompt. What an agent worked by at version V is the
-- newest row up to V of each `changed`.
CREATE TABLE agent_config_history (
    agent_id       text        NOT NULL,
    version        bigint      NOT NULL,            -- agent_config.version after the edit
    changed        text        NOT NULL CHECK (changed IN ('system_prompt', 'learned_notes')),
    system_prompt  text,                            -- null if `changed` is the other, or the text was deleted
    learned_notes  text,
    entity_version bigint      NOT NULL,            -- of the text that was changed; 0 if it was deleted
    sequence       bigint      NOT NULL,
    actor          text        NOT NULL,
    session_id     text,
    call_id        text,
    created_on     timestamptz NOT NULL,
    PRIMARY KEY (agent_id, version)
);

-- The tools that agents made.
CREATE TABLE agent_tools (
    agent_id         text        NOT NULL,
    name             text        NOT NULL,
    description      text        NOT NULL,          -- as models read it
    parameter_schema jsonb       NOT NULL,          -- JSON Schema of the arguments
    code             text        NOT NULL,
    enabled          boolean     NOT NULL,          -- whether models are offered it
    version          bigint      NOT NULL,
    sequence         bigint      NOT NULL,
    actor            text        NOT NULL,
    session_id       text,
    call_id          text,
    created_on       timestamptz NOT NULL,
    modified_on      timestamptz NOT NULL,
    PRIMARY KEY (agent_id, name)
);

-- Functions: code that an agent's tools, pages and people call by name, and models are not offered.
CREATE TABLE functions (LIKE agent_tools INCLUDING ALL);

-- Modules that code of the same agent may `require`.
CREATE TABLE libraries (
    agent_id    text        NOT NULL,
    name        text        NOT NULL,
    description text        NOT NULL,
    code        text        NOT NULL,
    version     bigint      NOT NULL,
    sequence    bigint      NOT NULL,
    actor       text        NOT NULL,
    session_id  text,
    call_id     text,
    created_on  timestamptz NOT NULL,
    modified_on timestamptz NOT NULL,
    PRIMARY KEY (agent_id, name)
);

-- The pages and other React components that agents made.
CREATE TABLE agent_ui_components (
    agent_id     text        NOT NULL,
    name         text        NOT NULL,
    description  text        NOT NULL,
    code         text        NOT NULL,              -- React, as JSX
    props_schema jsonb,                             -- JSON Schema of its props; null if it gave none
    version      bigint      NOT NULL,
    sequence     bigint      NOT NULL,
    actor        text        NOT NULL,
    session_id   text,
    call_id      text,
    created_on   timestamptz NOT NULL,
    modified_on  timestamptz NOT NULL,
    PRIMARY KEY (agent_id, name)
);

-- Knowledge written down: models see name, description and tags, and read the content when they need it.
CREATE TABLE skills (
    agent_id    text        NOT NULL,
    name        text        NOT NULL,
    description text        NOT NULL,
    content     text        NOT NULL,
    tags        jsonb       NOT NULL,               -- [str]
    enabled     boolean     NOT NULL,
    version     bigint      NOT NULL,
    sequence    bigint      NOT NULL,
    actor       text        NOT NULL,
    session_id  text,
    call_id     text,
    created_on  timestamptz NOT NULL,
    modified_on timestamptz NOT NULL,
    PRIMARY KEY (agent_id, name)
);

-- The notepads: what one session has written down for itself. What an agent noted for all of them is
-- agent_config.learned_notes.
CREATE TABLE notes (
    agent_id    text        NOT NULL,
    name        text        NOT NULL,               -- the session whose notepad it is
    text        text        NOT NULL,
    version     bigint      NOT NULL,
    sequence    bigint      NOT NULL,
    actor       text        NOT NULL,
    session_id  text,                               -- who wrote it: not always the session whose it is
    call_id     text,
    created_on  timestamptz NOT NULL,
    modified_on timestamptz NOT NULL,
    PRIMARY KEY (agent_id, name)
);

-- The plans: goal, to-dos and memos of one session.
CREATE TABLE plans (
    agent_id    text        NOT NULL,
    name        text        NOT NULL,               -- the session whose plan it is
    text        text        NOT NULL,
    version     bigint      NOT NULL,
    sequence    bigint      NOT NULL,
    actor       text        NOT NULL,
    session_id  text,                               -- who wrote it
    call_id     text,
    created_on  timestamptz NOT NULL,
    modified_on timestamptz NOT NULL,
    PRIMARY KEY (agent_id, name)
);

-- The playbooks: ways of working that an agent wrote down to follow again.
CREATE TABLE playbooks (
    agent_id         text        NOT NULL,
    name             text        NOT NULL,          -- its id
    description      text        NOT NULL,          -- the goal that it reaches
    workflow         jsonb       NOT NULL,          -- [{step_id, description, tool_name, purpose, ...}]
    initial_command  text        NOT NULL,
    success_criteria text        NOT NULL,
    version          bigint      NOT NULL,
    sequence         bigint      NOT NULL,
    actor            text        NOT NULL,
    session_id       text,
    call_id          text,
    created_on       timestamptz NOT NULL,
    modified_on      timestamptz NOT NULL,
    PRIMARY KEY (agent_id, name)
);

-- The files: the current version of each. Its bytes are the blob of that hash, in the log's store and not here.
CREATE TABLE files (
    agent_id     text        NOT NULL,
    name         text        NOT NULL,              -- the file's id, f_…
    path         text        NOT NULL,
    media_type   text        NOT NULL,
    size         bigint      NOT NULL,              -- bytes
    blob         text        NOT NULL,              -- SHA-256 of the bytes
    scope        text        NOT NULL,              -- session or agent
    workspace_id text,                              -- the session at the top of the tree; null: the agent's file
    source       text        NOT NULL,              -- upload, tool, code or web
    made_from    text,                              -- the file that it was made of
    forked_from  text,                              -- the file that it is a fork's copy of
    version      bigint      NOT NULL,
    sequence     bigint      NOT NULL,
    actor        text        NOT NULL,
    session_id   text,                              -- who wrote it: not always the session whose it is
    call_id      text,
    created_on   timestamptz NOT NULL,
    modified_on  timestamptz NOT NULL,
    PRIMARY KEY (agent_id, name)
);
CREATE INDEX files_workspace ON files (agent_id, workspace_id, path);

-- What agents remember from session to session, under keys of their own.
CREATE TABLE agent_state (
    agent_id    text        NOT NULL,
    key         text        NOT NULL,
    value       jsonb       NOT NULL,               -- any JSON, null too
    version     bigint      NOT NULL,
    sequence    bigint      NOT NULL,
    actor       text        NOT NULL,
    session_id  text,
    call_id     text,
    modified_on timestamptz NOT NULL,
    PRIMARY KEY (agent_id, key)
);

-- The reminders: those to come, and as what they ended.
CREATE TABLE reminders (
    agent_id    text        NOT NULL,
    name        text        NOT NULL,               -- its id
    reminds     text        NOT NULL,               -- the session that is told
    due_on      timestamptz NOT NULL,
    message     text        NOT NULL,
    done        text,                               -- told or missed; null: it is to come
    again       jsonb,                              -- how it comes again; null: it comes once
    quiet       boolean     NOT NULL,               -- it is shown, and begins no turn
    version     bigint      NOT NULL,
    sequence    bigint      NOT NULL,
    actor       text        NOT NULL,
    session_id  text,
    call_id     text,
    created_on  timestamptz NOT NULL,
    modified_on timestamptz NOT NULL,
    PRIMARY KEY (agent_id, name)
);
CREATE INDEX reminders_to_come ON reminders (agent_id, due_on) WHERE done IS NULL;

-- The scheduled tasks.
CREATE TABLE schedules (
    agent_id       text        NOT NULL,
    name           text        NOT NULL,            -- its id
    title          text        NOT NULL,            -- what people call it
    task           text        NOT NULL,
    due_on         timestamptz,                     -- of one that runs once
    cron           text,                            -- of one that runs again and again: five fields, in `timezone`
    timezone       text        NOT NULL,
    model          text,                            -- null: the agent's
    token_limit    bigint,                          -- null: the agent's
    misfire        text        NOT NULL,            -- run_once or skip
    overlap        text        NOT NULL,            -- skip, queue or parallel
    enabled        boolean     NOT NULL,
    paused_because text,
    version        bigint      NOT NULL,
    sequence       bigint      NOT NULL,
    actor          text        NOT NULL,
    session_id     text,
    call_id        text,
    created_on     timestamptz NOT NULL,
    modified_on    timestamptz NOT NULL,
    PRIMARY KEY (agent_id, name)
);

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

-- The wakes that wait in agents' inboxes. One that was taken or dismissed is gone from here; what came of the others
-- is in `events`.
CREATE TABLE inbox (
    agent_id    text        NOT NULL,
    name        text        NOT NULL,               -- its id
    source      text        NOT NULL,               -- the credentials with which it came
    wake_id     text        NOT NULL,
    wake_type   text,
    message     text        NOT NULL,
    data        jsonb       NOT NULL,               -- any JSON, null too
    meant_for   text,                               -- the session that it named
    priority    text        NOT NULL,
    arrived_on  timestamptz NOT NULL,
    kept_until  timestamptz NOT NULL,
    version     bigint      NOT NULL,
    sequence    bigint      NOT NULL,
    actor       text        NOT NULL,
    session_id  text,
    call_id     text,
    created_on  timestamptz NOT NULL,
    modified_on timestamptz NOT NULL,
    PRIMARY KEY (agent_id, name)
);
