import type { Server } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { countedNetworks } from './client-network.ts'

export interface ConnectionLimits {
  /** Maximum concurrent connections of this process. */
  connections: number
  /**
   * Maximum concurrent connections of one network. Not applied behind proxies, which must limit connections themselves.
   */
  connectionsPerNetwork: number
  /** Maximum time in which the client reads no byte of a response; then the response is aborted. */
  writeTimeoutSeconds: number
}

/**
 * Maximum requests of a connection without a completed response. Browsers and proxies wait for each response, but their
 * next request may arrive before Node has closed the previous response.
 */
const maxUnanswered = 2

/**
 * Limits the number of clients' connections, in total and per network. Also limits the unanswered requests of a
 * connection, and the time for which a response may stay unread.
 */
export function limitConnections(
  app: FastifyInstance,
  { connections, connectionsPerNetwork, writeTimeoutSeconds }: ConnectionLimits,
  trustProxy: number,
): void {
  app.server.maxConnections = connections
  if (trustProxy === 0) limitNetworks(app.server, connectionsPerNetwork)
  limitPipelines(app)
  app.addHook('onSend', (_request, reply, payload, done) => {
    // Node closes the connection if no byte has moved for this long, and sets its own time-out after the response. A
    // request injected by Fastify has no real socket.
    if (reply.raw.socket instanceof Socket) reply.raw.socket.setTimeout(writeTimeoutSeconds * 1000)
    done(null, payload)
  })
}

/**
 * Closes a connection that sends requests without reading the responses: Node would run all of them and keep every
 * response in memory.
 */
function limitPipelines(app: FastifyInstance): void {
  const unanswered = new WeakMap<Socket, number>()
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    const count = (unanswered.get(socket) ?? 0) + 1
    if (count > maxUnanswered) {
      reply.hijack()
      stopParsingRequests(socket)
      socket.destroy()
      return
    }
    unanswered.set(socket, count)
    reply.raw.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    done()
  })
}

/** Return value of a request callback. Node's parser treats it as an error. */
const stopParsing = -1

/**
 * Stops the parsing of pipelined requests that were read together with the last one. Node closes a destroyed socket
 * only after it has read from all sockets; until then each of thousands of requests would hold its response. Node has
 * no public API to stop its parser.
 */
function stopParsingRequests(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser')
  if (typeof parser === 'object' && parser !== null) Reflect.set(parser, 'onIncoming', () => stopParsing)
}

function limitNetworks(server: Server, max: number): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const networks = countedNetworks(socket.remoteAddress ?? '')
    if (networks.some(({ network, multiplier }) => (open.get(network) ?? 0) >= max * multiplier))
      return void socket.destroy()
    for (const { network } of networks) open.set(network, (open.get(network) ?? 0) + 1)
    socket.once('close', () => {
      for (const { network } of networks) {
        const remaining = (open.get(network) ?? 1) - 1
        if (remaining > 0) open.set(network, remaining)
        else open.delete(network)
      }
    })
  })
}
