"""The command `foldline`. Exit codes: 0 done, 1 it didn't work (and why), 2 wrong usage."""

import typer

from foldline.cli import (
    chat,
    config,
    demo,
    doctor,
    events,
    export,
    fork,
    replay,
    rollback,
    send,
    serve,
    sessions,
    show,
    streams,
    up,
)

app = typer.Typer(
    name="foldline",
    help="The personal agent you can rewind.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("up")(up.up)
app.command("serve")(serve.serve)
app.command("streams")(streams.streams)
app.command("chat")(chat.chat)
app.command("send")(send.send)
app.command("sessions")(sessions.sessions)
app.command("show")(show.show)
app.command("events")(events.events)
app.command("replay")(replay.replay)
app.command("verify")(replay.verify)
app.command("fork")(fork.fork)
app.command("rollback")(rollback.rollback)
app.command("export")(export.export)
app.command("import")(export.import_)
app.command("doctor")(doctor.doctor)
app.command("config")(config.config)
app.command("demo")(demo.demo)
