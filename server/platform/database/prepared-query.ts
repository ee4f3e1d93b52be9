import {
  sql,
  type Compilable,
  type CompiledQuery,
  type Expression,
  type Kysely,
  type RawBuilder,
} from 'kysely'
import { setStatementKind, type StatementKind } from './pipelines.ts'

/** Placeholders in a query's text, for values that are known only when the query runs. */
export type Placeholders<Values> = { [Name in keyof Values]: Expression<Values[Name]> }

class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/**
 * Prepares a query that is built once and then run with other values each time. Use it for queries that run in nearly
 * every call, because building their text would take as long as the rest of the call. `build` must return the same text
 * for all values. The query must only read, because outside of a transaction it shares a few connections with others
 * (pipelines.ts).
 */
export function preparedQuery<Tables, Values extends object, Row>(
  build: Build<Tables, Values, Row>,
): Prepared<Tables, Values, Row> {
  return prepare('read', build)
}

/**
 * Prepares a query that finds a few cached rows by an index in less than a millisecond. It shares its connection with
 * queries of this kind only, because slower ones would delay it.
 */
export function preparedLookup<Tables, Values extends object, Row>(
  build: Build<Tables, Values, Row>,
): Prepared<Tables, Values, Row> {
  return prepare('lookUp', build)
}

type Build<Tables, Values, Row> = (
  db: Kysely<Tables>,
  values: Placeholders<Values>,
) => Compilable<Row> | RawBuilder<Row>
type Prepared<Tables, Values, Row> = (db: Kysely<Tables>, values: Values) => Promise<Row[]>

function prepare<Tables, Values extends object, Row>(
  kind: StatementKind,
  build: Build<Tables, Values, Row>,
): Prepared<Tables, Values, Row> {
  // Reading any property of `slots` returns a placeholder with the name of that property.
  const slots = new Proxy(
    {},
    { get: (_, name) => sql`${new Placeholder(String(name))}` },
  ) as Placeholders<Values>
  let built: CompiledQuery<Row> | undefined
  return async (db, values) => {
    if (!built) {
      built = shareParameters(build(db, slots).compile(db))
      setStatementKind(kind, built.sql)
    }
    const parameters = built.parameters.map((each) =>
      each instanceof Placeholder ? (values as Record<string, unknown>)[each.name] : each,
    )
    return (await db.executeQuery<Row>({ ...built, parameters })).rows
  }
}

/**
 * Uses one parameter per placeholder, even if the text contains it several times: a search uses its keyword in thirty
 * places.
 */
function shareParameters<Row>(query: CompiledQuery<Row>): CompiledQuery<Row> {
  const parameters: unknown[] = []
  const places = query.parameters.map((each) => {
    const before =
      each instanceof Placeholder ? parameters.findIndex((other) => isSamePlaceholder(each, other)) : -1
    return before < 0 ? parameters.push(each) : before + 1
  })
  const sql = query.sql.replace(/\$(\d+)/g, (_, number: string) => `$${places[Number(number) - 1]}`)
  return { ...query, sql, parameters }
}

function isSamePlaceholder(slot: Placeholder, other: unknown): boolean {
  return other instanceof Placeholder && other.name === slot.name
}
