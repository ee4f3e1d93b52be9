import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import pg from 'pg'

/** A proxy between a site and PostgreSQL. It simulates network failures and a stopped server. */
export interface DatabaseProxy {
  url: string
  /** Closes all connections and refuses new ones. */
  stop(): Promise<void>
  restart(): Promise<void>
  /** Breaks all open connections, but accepts new ones. */
  breakAll(): void
  /** Connects new clients to another server. */
  leadTo(url: string): void
  /** Drops the database's responses while `silent` is true. */
  setSilent(silent: boolean): void
}

export async function startDatabaseProxy(url: string): Promise<DatabaseProxy> {
  const { user, database } = new pg.Client({ connectionString: url })
  let target = targetOf(url)
  const open = new Set<Socket>()
  let silent = false
  const join = (socket: Socket) => {
    const database = connect(target)
    for (const [one, other] of [
      [socket, database],
      [database, socket],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => open.delete(one) && other.destroy())
    }
    socket.on('data', (bytes) => database.write(bytes))
    database.on('data', (bytes) => void (silent || socket.write(bytes)))
  }
  const dropConnections = () => open.forEach((socket) => socket.destroy())
  const listen = (at: number) =>
    new Promise<Server>((resolve) => {
      const server = createServer(join).listen(at, '127.0.0.1', () => resolve(server))
    })
  let server = await listen(0)
  const { port: at } = server.address() as AddressInfo
  return {
    url: `postgres://${user}@127.0.0.1:${at}/${database}`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      dropConnections()
      await closed
    },
    async restart() {
      server = await listen(at)
    },
    breakAll: dropConnections,
    leadTo: (other) => void (target = targetOf(other)),
    setSilent: (isSilent) => void (silent = isSilent),
  }
}

function targetOf(url: string): { path: string } | { host: string; port: number } {
  const { host, port } = new pg.Client({ connectionString: url })
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}
