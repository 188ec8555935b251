#!/usr/bin/env bash
# Run once, by the Postgres image, when the cluster is made: a role that owns its database and nothing else.
set -euo pipefail

psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv password FOLDLINE_POSTGRES_PASSWORD
CREATE ROLE foldline LOGIN PASSWORD :'password';
CREATE DATABASE foldline OWNER foldline ENCODING 'UTF8' TEMPLATE template0;
SQL
