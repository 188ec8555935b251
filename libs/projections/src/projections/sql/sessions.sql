-- Sessions: what people read of them, and what forks and rewinds need. See log.sql for the rules of all tables.

CREATE TABLE sessions (
    session_id          text        PRIMARY KEY,
    agent_id            text        NOT NULL,
    parent_id           text,
    parent_call_id      text,
    depth               int         NOT NULL,
    title               text,
    status              text        NOT NULL CHECK (status IN (
        'idle', 'running', 'waiting_for_input', 'token_limit_reached', 'completed', 'error')),
    model               text,                       -- as asked for at the creation; null: the default model
    thinking_effort     text,                       -- how much the model thinks; both null: as settings say
    thinking_budget     int,
    begun_by            jsonb,                      -- {"what": "schedule" or "wake", "name"}; null: a person, or a session
    pinned              boolean     NOT NULL DEFAULT false,
    token_limit         bigint      NOT NULL,
    usage               jsonb       NOT NULL,       -- of all its calls, as of model_calls
    model_call_count    int         NOT NULL,       -- requested so far: the newest model call's `number`
    waiting_calls       jsonb       NOT NULL,       -- ids of the pending calls that a waiting session waits for, in order
    open_model_call     text,                       -- the model call that has no ending yet
    cut_model_call      text,                       -- the one that was stopped, and hasn't told yet what it had said
    error_kind          text,
    error_message       text,
    failed_turn         jsonb,                      -- why the last turn of an idle session has no end, see below
    created_at          timestamptz NOT NULL,
    active_at           timestamptz NOT NULL,       -- when a person or the agent last said something
    updated_at          timestamptz NOT NULL,       -- time of the newest event
    last_sequence       bigint      NOT NULL,       -- record of the newest event
    newest_model_call   text,                       -- the model call that was requested last, open or not
    stage_count         int         NOT NULL DEFAULT 0,
    forked_from_id      text,                       -- the session that the history begins with, up to and
    forked_from_sequence      bigint,                     --   including this record: where it really was cut
    forked_place        bigint,                     -- of the event that says so
    inherited           jsonb       NOT NULL DEFAULT '[]',  -- segments of other sessions that the fork began with
    rewinds           jsonb       NOT NULL DEFAULT '[]',  -- [place, to] of each, `to` the place where it really led
    segments            jsonb       NOT NULL DEFAULT '[]',  -- the conversation as it is now, see below
    queued              jsonb       NOT NULL DEFAULT '[]',  -- places of messages that no model call has read yet
    attention_place     bigint,                     -- the newest event that may have changed what waits for a person
    woken               boolean     NOT NULL DEFAULT false  -- idle, and an engine is about to begin a turn: people read `running`
);
-- A failed turn is {"failed_sequence": record, "kind", "message", "retryable": bool, "retry_at": time or null,
-- "asked": record, "retrying": bool}: `asked` is where the model call that failed was requested, 0 if none failed.
-- A segment is [session id, after, up to]: what that session said in after < place <= up to (null: no end).
-- Segments are in order. Messages of `inherited` and of the session itself that lie in none of `segments` were
-- hidden by a rewind: by the one whose place is the `after` of the next segment.
CREATE INDEX sessions_by_activity ON sessions (active_at, session_id);
CREATE INDEX sessions_by_update ON sessions (updated_at, session_id);
CREATE INDEX sessions_that_wait ON sessions (status) WHERE status IN ('running', 'waiting_for_input', 'token_limit_reached');
CREATE INDEX sessions_that_failed ON sessions (session_id) WHERE failed_turn IS NOT NULL;
CREATE INDEX sessions_by_parent ON sessions (parent_id, session_id) WHERE parent_id IS NOT NULL;
CREATE INDEX sessions_by_origin ON sessions (forked_from_id, session_id) WHERE forked_from_id IS NOT NULL;

-- What a session was at any event: a row whenever its status, title, newest model call or how much it thinks
-- changed. Forks and rewinds lead to the past, and find it here.
CREATE TABLE stages (
    session_id    text   NOT NULL,
    number        int    NOT NULL,                  -- in its session, from 1
    place         bigint NOT NULL,                  -- the event that began it
    status        text   NOT NULL,
    title         text,
    model_call_id text,                             -- the newest model call then
    thinking_effort text,
    thinking_budget int,
    PRIMARY KEY (session_id, number)
);

-- What people read in a chat. `body` by role:
--   user       {"files": [str], "source": str (who, if not a person), "woken_by": str (the
--               service whose wake it is), "wake_type": str, "refused": str (why, if it came too late)}
--   assistant  {"model": str, "usage": as of model_calls, "tool_calls": [call id],
--               "incomplete": str (why it isn't a whole answer)}
--   error      {"kind": str}
--   summary    {"first": record, "last": record, "reason": "compaction" | "task"}: the model sees `text` in
--              place of the messages between these; people can see both
CREATE TABLE messages (
    session_id    text        NOT NULL,
    place         bigint      NOT NULL,
    role          text        NOT NULL CHECK (role IN ('user', 'assistant', 'error', 'summary')),
    text          text        NOT NULL,
    time          timestamptz NOT NULL,
    model_call_id text,
    body          jsonb       NOT NULL,
    rating        text        CHECK (rating IN ('up', 'down')),     -- what a person thinks of this answer
    rating_text   text,                                             -- and why
    PRIMARY KEY (session_id, place)
);
CREATE INDEX messages_rated ON messages (session_id, rating) WHERE rating IS NOT NULL;
-- For searching what was said (see search.sql): in all sessions, in one, or in some 4,096 records of the log, which is
-- what makes the newest of a common word quick to find. What was added last is found by reading 1 MB at most.
CREATE INDEX messages_by_word ON messages USING gin (words_of(text, rating_text), (place >> 24), session_id)
    WITH (gin_pending_list_limit = 1024);

-- Each word that a message has, or had once: parts of words are looked up here.
CREATE TABLE message_words (word text PRIMARY KEY);
CREATE FUNCTION note_words() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN
    EXECUTE format($sql$
        INSERT INTO %1$I.message_words
        SELECT DISTINCT unnest(tsvector_to_array(%1$I.words_of(text, rating_text))) FROM added ON CONFLICT DO NOTHING
        $sql$, TG_TABLE_SCHEMA);
    RETURN NULL;
END $body$;
CREATE TRIGGER note_words AFTER INSERT ON messages REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION note_words();

DO $do$ BEGIN
    EXECUTE format($sql$
        CREATE INDEX message_words_by_part ON message_words USING gin (word %1$s.gin_trgm_ops)
            WITH (gin_pending_list_limit = 256);
        CREATE INDEX sessions_by_title ON sessions USING gin (searchable(title) %1$s.gin_trgm_ops)
            WITH (gin_pending_list_limit = 64);
        $sql$, (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'pg_trgm'));
END $do$;

CREATE TABLE tool_calls (
    session_id         text   NOT NULL,
    call_id            text   NOT NULL,
    model_call_id      text,
    position           int    NOT NULL,             -- among the calls of its message, from 0
    message_place      bigint,                      -- the assistant message that asked for it
    tool               text   NOT NULL,
    arguments          jsonb  NOT NULL,
    as_sent            jsonb,                       -- what the model wrote for those that were taken as something else
    status             text   NOT NULL CHECK (status IN (
        'planned', 'requested', 'running', 'pending', 'completed', 'failed', 'cancelled')),
    effect             text,
    runs_on            text,
    result             jsonb,
    error              jsonb,                       -- {"kind", "message", "path", "retryable"}
    show               jsonb,
    excerpt            jsonb,                       -- {"head", "tail", "blob": {"sha256", "size", "media_type"}}
    outside            jsonb,                       -- where material in the result came from: [{"kind", "name", ...}]
    answer             jsonb,                       -- what someone answered to a pending call; also its result
    runner             text,
    accounting         jsonb,                       -- what its newest run took and did: {"duration_ms", "attempt",
                                                    --  "usage": what all its runs asked models for, as of
                                                    --  model_calls, "tasks", "sent", "worked", "sampled"}
    requested_place    bigint,
    result_place       bigint,                      -- the event that ended the call: result, answer or cancellation
    requested_at       timestamptz,
    finished_at        timestamptz,
    PRIMARY KEY (session_id, call_id)
);
CREATE INDEX tool_calls_of_message ON tool_calls (session_id, message_place, position);
CREATE INDEX tool_calls_open ON tool_calls (session_id)
    WHERE status IN ('planned', 'requested', 'running', 'pending');
CREATE INDEX tool_calls_unknown ON tool_calls (session_id, call_id) WHERE error->>'kind' = 'outcome_unknown';

CREATE TABLE model_calls (
    session_id         text   NOT NULL,
    call_id            text   NOT NULL,
    number             int    NOT NULL,             -- in its session, from 1
    model              text,                        -- null until it answered, if the default was asked for
    requested_place    bigint,
    purpose            text   NOT NULL DEFAULT 'turn'
                              CHECK (purpose IN ('turn', 'warning', 'summary')),
    result_place       bigint,                      -- the event that ended the call: result or interruption
    status             text   NOT NULL CHECK (status IN ('requested', 'completed', 'failed', 'cancelled')),
    text               text,                        -- what one said that was cut off before it told; what
                                                    --  others said is in the event at result_place
    usage              jsonb,                       -- {"input", "output", "cached_input", "cache_written",
                                                    --  "counted", "cost_micros": what is known of the cost, in
                                                    --  millionths of a US dollar, "tokens": what counts toward
                                                    --  limits and budgets}
    latency_ms         bigint,
    first_token_ms     bigint,
    attempts           int,
    finish_reason      text,                        -- in the provider's words
    cut                text,                        -- why it was broken off: stopped, token_limit, cancelled
    context            text,                        -- SHA-256 of the blob that lists what the model saw
    error              jsonb,                       -- {"kind", "message"}
    requested_at       timestamptz,
    finished_at        timestamptz,
    PRIMARY KEY (session_id, call_id)
);

-- What was erased: a session by its id, or an agent by its own. Its other rows may still be here, for as long as it is
-- being taken out, or others begin with it by a fork: no list shows it.
CREATE TABLE erasures (
    name     text   PRIMARY KEY,
    agent_id text   NOT NULL,
    sequence bigint NOT NULL
);
