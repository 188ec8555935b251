const { add = [], done = [], reopen = [], remove = [] } = args
const empty = { open: [], done: [] }

const known = (await db.schema()).some((table) => table.name === 'todo')
if (!known && !add.length) return empty
if (!known)
  await db.sql(`CREATE TABLE IF NOT EXISTS todo (
    id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, added TEXT NOT NULL DEFAULT CURRENT_DATE, done TEXT)`)

// Each statement is a transaction of its own, so what runs at the same time loses nothing.
const all = 'SELECT value FROM json_each(?)'
const run = (sql, values) => values.length && db.sql(sql, [JSON.stringify(values)])
const before = new Set((await db.sql('SELECT id FROM todo')).rows.map(([id]) => id))
await run(`INSERT INTO todo (text) ${all}`, add)
await run(`UPDATE todo SET done = CURRENT_DATE WHERE done IS NULL AND id IN (${all})`, done)
await run(`UPDATE todo SET done = NULL WHERE id IN (${all})`, reopen)
await run(`DELETE FROM todo WHERE id IN (${all})`, remove)

// The page watches this key, and reads the list again when it changes.
const asked = [...done, ...reopen, ...remove]
if (add.length || asked.length) await state.set('todo/changed', crypto.randomUUID())

const { rows } = await db.sql('SELECT id, text, added, done FROM todo ORDER BY id')
const list = { ...empty }
list.open = rows.filter((row) => !row[3]).map(([id, text, added]) => ({ id, text, added }))
list.done = rows.filter((row) => row[3]).map(([id, text, added, done]) => ({ id, text, added, done }))
const unknown = asked.filter((id) => !before.has(id))
return unknown.length ? { ...list, unknown } : list
