// A process that writes rows to the embedded PostgreSQL of a data directory until it is killed. It starts the server if
// it does not run yet. It prints each number after the database has acknowledged it.
import pg from 'pg'
import { startEmbeddedDatabase } from '#server/platform/database/embedded/embedded-database.ts'
import { createLog } from '#server/platform/log.ts'

const [dataDir = ''] = process.argv.slice(2)
const log = createLog({ json: true, level: 'silent' })
const { connection } = await startEmbeddedDatabase({ dataDir, log })
const client = new pg.Client(connection)
await client.connect()
await client.query('CREATE TABLE IF NOT EXISTS written (number int PRIMARY KEY)')
for (;;) {
  const { rows } = await client.query<{ number: number }>(
    'INSERT INTO written SELECT coalesce(max(number), 0) + 1 FROM written RETURNING number',
  )
  process.stdout.write(`${rows[0]?.number}\n`)
}
