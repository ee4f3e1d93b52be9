import type { Server } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { countedNetworks } from './network-of.ts'

export interface ConnectionLimits {
  /** Connections to this process at once. */
  connections: number
  /** Of one network; with proxies in front, which are networks of their own, they limit it. */
  connectionsOfNetwork: number
  /** After so long without a byte taken, an answer is given up. */
  writeSeconds: number
}

/**
 * Requests of a connection that wait for their answers. Browsers and proxies wait for one before they send the next, which may come
 * before Node has closed the answer that they have read.
 */
const mostUnanswered = 2

/**
 * Limits what clients hold by connections: how many there are, in all and of a network, how many requests one may send before
 * it has read the answers, and how long it may leave an answer unread.
 */
export function limitConnections(
  app: FastifyInstance,
  { connections, connectionsOfNetwork, writeSeconds }: ConnectionLimits,
  trustProxy: number,
): void {
  app.server.maxConnections = connections
  if (trustProxy === 0) limitNetworks(app.server, connectionsOfNetwork)
  limitPipelines(app)
  app.addHook('onSend', (_request, reply, payload, done) => {
    // Node ends the connection when no byte has moved for this long, and sets its own time-out after the answer.
    // A request that Fastify injects has no real socket.
    if (reply.raw.socket instanceof Socket) reply.raw.socket.setTimeout(writeSeconds * 1000)
    done(null, payload)
  })
}

/** Ends a connection that sends requests without reading the answers: Node would run all of them and hold every answer. */
function limitPipelines(app: FastifyInstance): void {
  const unanswered = new WeakMap<Socket, number>()
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    const count = (unanswered.get(socket) ?? 0) + 1
    if (count > mostUnanswered) {
      reply.hijack()
      dropFurther(socket)
      socket.destroy()
      return
    }
    unanswered.set(socket, count)
    reply.raw.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    done()
  })
}

/** What a parser of Node takes from the callback of a request for an error of it. */
const stopParsing = -1

/**
 * Ends the parsing of what was read along with a connection's last request. A destroyed socket is closed once Node has read from all
 * sockets, and until then each of thousands of requests would hold its answer. Node has no public way to stop its parser.
 */
function dropFurther(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser')
  if (typeof parser === 'object' && parser !== null) Reflect.set(parser, 'onIncoming', () => stopParsing)
}

function limitNetworks(server: Server, most: number): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const networks = countedNetworks(socket.remoteAddress ?? '')
    if (networks.some(({ network, times }) => (open.get(network) ?? 0) >= most * times))
      return void socket.destroy()
    for (const { network } of networks) open.set(network, (open.get(network) ?? 0) + 1)
    socket.once('close', () => {
      for (const { network } of networks) {
        const left = (open.get(network) ?? 1) - 1
        if (left > 0) open.set(network, left)
        else open.delete(network)
      }
    })
  })
}
