import type { Pool, PoolClient, PoolConfig, QueryConfig, QueryResult } from 'pg'

/**
 * How many connections take the statements of a kind. Look-ups are over so soon that one suffices, which what takes longer must not
 * hold up. For the rest a few are faster than many: PostgreSQL's processes then find in their own memory what others have read.
 */
const connections = { lookUp: 1, read: 4 }

/** A statement that reads in far less than a millisecond, or one that may take longer. */
export type Kind = keyof typeof connections

const kinds = new Map<string, Kind>()

/** Says that a text only reads, so that outside of a transaction it may share a connection with others of its kind. */
export function markAs(kind: Kind, text: string): void {
  kinds.set(text, kind)
}

/** What a text was marked as, if it was. */
export function kindOf(text: string): Kind | undefined {
  return kinds.get(text)
}

/**
 * Connections that many statements go down at once: whoever asks while others wait costs no round trip of its own, as the
 * server reads all that has come and answers in order.
 */
export interface Pipelines {
  query(kind: Kind, statement: QueryConfig): Promise<QueryResult>
  end(): Promise<void>
}

/** Pipelines on the server of these pools, which are opened with options that make pipelines of their connections. */
export function openPipelines(openPool: (options: PoolConfig) => Pool): Pipelines {
  const open = (kind: Kind) => {
    const pool = openPool({ pipeline: true, max: connections[kind] })
    return { pool, lines: Array.from({ length: connections[kind] }, () => new Line(pool)) }
  }
  const opened = { lookUp: open('lookUp'), read: open('read') }
  return {
    query(kind, statement) {
      const line = opened[kind].lines.reduce((best, each) => (each.waiting < best.waiting ? each : best))
      return line.query(statement)
    },
    async end() {
      for (const { pool, lines } of Object.values(opened)) {
        for (const line of lines) await line.release()
        await pool.end()
      }
    },
  }
}

/**
 * One connection. It is made with the first statement, and anew when it has broken; statements that were under way then fail, as
 * they would on a connection of their own.
 */
class Line {
  readonly #pool: Pool
  #connection: Promise<PoolClient> | undefined
  /** How many statements have not been answered. */
  waiting = 0

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async query(statement: QueryConfig): Promise<QueryResult> {
    this.waiting++
    try {
      this.#connection ??= this.#connect()
      return await (await this.#connection).query(statement)
    } finally {
      this.waiting--
    }
  }

  #connect(): Promise<PoolClient> {
    const connecting = this.#pool.connect()
    const forget = () => {
      const isOurs = this.#connection === connecting
      if (isOurs) this.#connection = undefined
      return isOurs
    }
    connecting.then(
      (client) => client.once('error', (error) => forget() && client.release(error)),
      () => forget(),
    )
    return connecting
  }

  async release(): Promise<void> {
    const last = await this.#connection?.catch(() => undefined)
    this.#connection = undefined
    last?.release()
  }
}
