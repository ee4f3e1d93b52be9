import { Kysely, PostgresDialect } from 'kysely'
import type { Pool } from 'pg'
import { withNamedStatements } from '#server/platform/database/named-statements.ts'
import type { Tables } from '#server/tables.ts'

/** Tables that grow with the catalogue. A query plan must not contain a sequential scan of one of them. */
const large =
  /Seq Scan on (videos|video_tags|video_search|search_words|watched_next|watch_history|favorites|episodes|plays|rank_changes|tags)\b/

export interface Plans {
  text: string
  /** Statements that scan a large table, each with the name of the read that runs it (a key of `reads`). */
  scans: string[]
  /** Statements that count rows. Only a search may count, because it has few matches. */
  counts: string[]
}

type Statement = { sql: string; parameters: readonly unknown[] }

/** Runs each of `reads` and returns the query plans of its statements, both as executed and as prepared statements. */
export async function explainPlans(
  pool: Pool,
  reads: ReadonlyMap<string, (db: Kysely<Tables>) => Promise<unknown>>,
): Promise<Plans> {
  const parts: string[] = []
  const scans: string[] = []
  const counts: string[] = []
  const statements: Statement[] = []
  const db = openNoting(pool, statements)
  for (const [name, read] of reads) {
    statements.length = 0
    await read(db)
    for (const statement of statements) {
      const ran = await explain(pool, 'ANALYZE, BUFFERS', statement.sql, statement.parameters)
      const prepared = await explain(pool, 'GENERIC_PLAN', statement.sql, undefined)
      parts.push(`### ${name}\n\n${statement.sql}\n\n${ran}\n\nprepared:\n${prepared}\n`)
      // Checks the generic plan of the prepared statement, because the site uses it (`genericPlanOptions`).
      if (large.test(prepared)) scans.push(`${name}: ${statement.sql}`)
      if (/\bcount\(/i.test(statement.sql) && !statement.sql.includes('found_before'))
        counts.push(`${name}: ${statement.sql}`)
    }
  }
  return { text: parts.join('\n'), scans, counts }
}

/** Opens the database as the site does, and records every statement in `statements`. */
function openNoting(pool: Pool, statements: Statement[]): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: withNamedStatements(pool) }),
    log: ({ query }) => {
      statements.push(query)
    },
  })
}

async function explain(
  pool: Pool,
  how: string,
  text: string,
  values: readonly unknown[] | undefined,
): Promise<string> {
  const explained = `EXPLAIN (${how}) ${text}`
  const { rows } = await (values === undefined
    ? pool.query<{ 'QUERY PLAN': string }>(explained)
    : pool.query<{ 'QUERY PLAN': string }>(explained, [...values]))
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}
