#!/bin/sh
# What the image of Postgres does, as far as docker-compose.yml uses it: makes the cluster with the administrator's
# password, runs /docker-entrypoint-initdb.d once, then serves on all addresses.
set -eu
data=/var/lib/postgresql/18/docker
as="setpriv --reuid=999 --regid=999 --clear-groups"
export PATH=/opt/postgres/bin:$PATH HOME=/tmp PGDATA=$data
if [ ! -s "$data/PG_VERSION" ]; then
  mkdir -p "$data" && chown -R 999:999 /var/lib/postgresql && chmod 700 "$data"
  printf %s "$POSTGRES_PASSWORD" > /tmp/password && chown 999 /tmp/password
  # shellcheck disable=SC2086 — arguments, as the image takes them
  $as initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --encoding=UTF8 --locale=C.UTF-8 $POSTGRES_INITDB_ARGS > /dev/null
  rm /tmp/password
  echo "host all all all scram-sha-256" >> "$data/pg_hba.conf"
  $as pg_ctl --silent --wait start -o "-c listen_addresses='' -c unix_socket_directories=/tmp"
  for script in /docker-entrypoint-initdb.d/*.sh; do $as env PGHOST=/tmp bash "$script"; done
  $as pg_ctl --silent --wait --mode=fast stop
fi
exec $as postgres -c listen_addresses='*' -c unix_socket_directories=/tmp
