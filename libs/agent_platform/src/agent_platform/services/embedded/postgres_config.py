"""The text of Postgres's configuration files."""

from dataclasses import dataclass

ROLE = "foldline"
DATABASE = "foldline"
ADMIN = "postgres"


@dataclass(frozen=True)
class PostgresOptions:
    """`fsync=False` is for tests only: a power failure then destroys the database."""

    port: int
    fsync: bool = True


def render(options: PostgresOptions) -> str:
    """postgresql.conf: small (about 40 MB idle with all its processes), on 127.0.0.1 only, no socket file."""
    values = {
        "listen_addresses": "'127.0.0.1'",
        "port": options.port,
        "unix_socket_directories": "''",
        "password_encryption": "'scram-sha-256'",
        "max_connections": 80,
        "shared_buffers": "'32MB'",
        "work_mem": "'8MB'",
        "maintenance_work_mem": "'32MB'",
        "temp_buffers": "'2MB'",
        "io_method": "'sync'",  # the other methods keep three worker processes
        "max_worker_processes": 2,
        "max_parallel_workers": 0,
        "max_parallel_workers_per_gather": 0,
        "autovacuum_max_workers": 1,
        "autovacuum_worker_slots": 2,
        "autovacuum_naptime": "'5s'",  # until then, plans take a table that grows for a small one
        "max_logical_replication_workers": 0,
        "jit": "off",
        "wal_level": "'minimal'",  # nothing replicates from here, and a rebuild's COPY writes half as much
        "max_wal_senders": 0,
        "max_wal_size": "'256MB'",
        "min_wal_size": "'32MB'",
        "wal_recycle": "off",  # a recycled file keeps what was erased until it is written over
        "fsync": "on" if options.fsync else "off",
        "full_page_writes": "on" if options.fsync else "off",
        "timezone": "'UTC'",
        "log_timezone": "'UTC'",
        "log_min_messages": "'warning'",
        "log_statement": "'none'",
        "log_min_error_statement": "'panic'",  # statements hold what people wrote
        "logging_collector": "off",
    }
    return "".join(f"{name} = {value}\n" for name, value in values.items())


# Agents run code on this host, so nobody is trusted for coming from it.
HOST_BASED_ACCESS = "host all all 127.0.0.1/32 scram-sha-256\n"


def first_statements(password: str, admin_password: str) -> str:
    """What makes the role and its database, one statement a line, for the single-user mode."""
    return (
        f"ALTER ROLE {ADMIN} PASSWORD {_literal(admin_password)};\n"
        f"CREATE ROLE {ROLE} LOGIN PASSWORD {_literal(password)};\n"
        f"GRANT pg_checkpoint, pg_maintain TO {ROLE};\n"
        f"CREATE DATABASE {DATABASE} OWNER {ROLE};\n"
    )


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
