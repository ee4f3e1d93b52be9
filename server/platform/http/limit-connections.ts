import type { Server } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { networkOf } from './network-of.ts'

export interface ConnectionLimits {
  /** Connections to this process at once. */
  connections: number
  /** Of one network; with proxies in front, which are networks of their own, they limit it. */
  connectionsOfNetwork: number
  /** After so long without a byte taken, an answer is given up. */
  writeSeconds: number
}

/**
 * Limits what clients hold by connections: how many there are, in all and of a network, and how long one may leave an answer
 * unread.
 */
export function limitConnections(
  app: FastifyInstance,
  { connections, connectionsOfNetwork, writeSeconds }: ConnectionLimits,
  trustProxy: number,
): void {
  app.server.maxConnections = connections
  if (trustProxy === 0) limitNetworks(app.server, connectionsOfNetwork)
  app.addHook('onSend', (_request, reply, payload, done) => {
    // Node ends the connection when no byte has moved for this long, and sets its own time-out after the answer.
    // A request that Fastify injects has no real socket.
    if (reply.raw.socket instanceof Socket) reply.raw.socket.setTimeout(writeSeconds * 1000)
    done(null, payload)
  })
}

function limitNetworks(server: Server, most: number): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? '')
    const count = (open.get(network) ?? 0) + 1
    if (count > most) return void socket.destroy()
    open.set(network, count)
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1
      if (left > 0) open.set(network, left)
      else open.delete(network)
    })
  })
}
