const { add, move } = args

const known = (await db.schema()).some((table) => table.name === 'protoagent_beads')
if (!known && add === undefined) return { beads: [] }
if (!known)
  await db.sql(`CREATE TABLE IF NOT EXISTS protoagent_beads (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, description TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'open',
    priority INTEGER NOT NULL, issue_type TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, updated_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    closed_at TEXT)`)

if (add !== undefined)
  await db.sql(
    `INSERT INTO protoagent_beads (id, title, description, priority, issue_type)
     VALUES ('bd-' || lower(hex(randomblob(4))), ?, '', 2, 'task')`,
    [add.trim()],
  )
if (move !== undefined)
  await db.sql(
    `UPDATE protoagent_beads SET status = ?1, updated_at = CURRENT_TIMESTAMP,
       closed_at = CASE WHEN ?1 = 'closed' THEN CURRENT_TIMESTAMP END WHERE id = ?2`,
    [move.status, move.id],
  )

// The page watches this key, and reads the board again when it changes.
if (add !== undefined || move !== undefined) await state.set('beads/changed', crypto.randomUUID())

const { rows } = await db.sql(
  `SELECT id, title, description, status, priority, issue_type FROM protoagent_beads
   ORDER BY status = 'closed', priority, rowid LIMIT 500`,
)
const names = ['id', 'title', 'description', 'status', 'priority', 'issue_type']
return { beads: rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]]))) }
