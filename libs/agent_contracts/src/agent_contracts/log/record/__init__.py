"""How the log holds events: a message is one *record*, of one event or several that were committed together.

```
a message of NATS      subject      ses.<agent>.<partition>.<session>.<place of the last event>
                       headers      its id, or what it was expected to come after
                       body         [time, document, document, …]
a document             id, by, actor, at, cause, prev, …, event: each is left out where it follows
                       from the event's type, from the record or from the subject
an event               {"type": …, and the members of its struct}

writing      event ─▶ Draft ─record_of─▶ NewMessage ─append─▶ the log
reading      the log ─▶ StoredMessage ─split─▶ a StoredMessage for each event ─read─▶ Recorded or Skipped
```

`session_subjects` has the subjects, `codec` events and envelopes, `documents` what is written of them and
what follows unwritten, `writers` who may write which event, `fitting` whether an event counts where it
stands, and `records` puts them together. `agent_platform.log` appends records and reads them.
"""
