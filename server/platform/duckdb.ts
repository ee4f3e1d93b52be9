import { createRequire } from 'node:module'
import type { DuckDBConnection } from '@duckdb/node-api'

interface DuckDbLimits {
  memoryMb: number
  threads: number
  /** A folder for data that exceeds the memory. */
  folder: string
}

/** Explains to operators that DuckDB is missing. */
export const missingDuckDbText =
  'The archive of events needs the package @duckdb/node-api, which is not installed. Install the packages again, including the optional ones, or build the container image with --build-arg DUCKDB=1.'

/** Returns whether the optional package is installed. The container image leaves it out by default. */
export function isDuckDbInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('@duckdb/node-api')
    return true
  } catch {
    return false
  }
}

/** Runs `work` with a connection to an empty DuckDB database in memory, which loads no extensions. */
export async function withDuckDb<Result>(
  { memoryMb, threads, folder }: DuckDbLimits,
  work: (duckdb: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  // Loaded on demand: the library takes a second and 50 MB.
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMb}MB`,
    threads: String(threads),
    temp_directory: folder,
    autoload_known_extensions: 'false',
    autoinstall_known_extensions: 'false',
  })
  try {
    const connection = await instance.connect()
    try {
      return await work(connection)
    } finally {
      connection.closeSync()
    }
  } finally {
    instance.closeSync()
  }
}

/** A row of a result with JSON values. Times are texts, and so are integers that are too large for a number. */
export type ResultRow = Record<string, unknown>

/**
 * Runs one SELECT statement. Other statements are refused, because some can change files: COPY could overwrite a file
 * that a query reads.
 * @throws Error if `query` is not exactly one SELECT statement, or if its result has more than `maxRows` rows. The
 * message is a sentence for the operator.
 */
export async function runSelect(
  duckdb: DuckDBConnection,
  query: string,
  maxRows: number,
): Promise<ResultRow[]> {
  const { DuckDBTypeId, StatementType } = await import('@duckdb/node-api')
  const statements = await duckdb.extractStatements(query)
  const statement = statements.count === 1 ? await statements.prepare(0) : undefined
  if (statement?.statementType !== StatementType.SELECT)
    throw new Error('Only one SELECT statement may be run.')
  const result = await statement.streamAndReadUntil(maxRows + 1)
  if (result.currentRowCount > maxRows)
    throw new Error(`The result has more than ${maxRows} rows: add a LIMIT.`)
  const { BIGINT, UBIGINT, HUGEINT, UHUGEINT } = DuckDBTypeId
  const bigColumns = result
    .columnTypes()
    .map(({ typeId }) => [BIGINT, UBIGINT, HUGEINT, UHUGEINT].includes(typeId))
  const names = result.deduplicatedColumnNames()
  return result
    .getRowsJson()
    .map((row) =>
      Object.fromEntries(
        row.map((value, at) => [names[at], bigColumns[at] ? toNumberIfExact(value) : value]),
      ),
    )
}

const toNumberIfExact = (value: unknown) => {
  const number = Number(value)
  return value !== null && Number.isSafeInteger(number) ? number : value
}

/** Quotes a text as an SQL literal, for statements that take no parameters. */
export const sqlText = (text: string) => `'${text.replaceAll("'", "''")}'`
