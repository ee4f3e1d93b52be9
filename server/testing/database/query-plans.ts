import { Kysely, PostgresDialect, type CompiledQuery } from 'kysely'
import type { Db, Tables } from '#server/tables.ts'
import type { TestDatabase } from './test-database.ts'

export interface Plan {
  sql: string
  plan: string
}

/**
 * Returns the queries of `work` with their plans. `all values` gives the generic plan, as in processes that respond to
 * API calls. `these values` gives the plan for the actual parameters, as in jobs.
 */
export async function queryPlans(
  { pool }: Pick<TestDatabase, 'pool'>,
  work: (db: Db) => Promise<unknown>,
  plannedFor: 'all values' | 'these values' = 'all values',
): Promise<Plan[]> {
  const executed: CompiledQuery[] = []
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log({ query }) {
      executed.push(query)
    },
  })
  await work(db)
  const queries = executed.filter(({ sql }) => /^\s*(select|insert|update|delete|with)\b/i.test(sql))
  const explain = ({ sql, parameters }: CompiledQuery) =>
    plannedFor === 'all values'
      ? pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${sql}`)
      : pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, [...parameters])
  const plans: Plan[] = []
  for (const query of queries) {
    const { rows } = await explain(query)
    plans.push({ sql: query.sql, plan: rows.map((row) => row['QUERY PLAN']).join('\n') })
  }
  return plans
}
