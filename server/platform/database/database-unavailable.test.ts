import { readFile } from 'node:fs/promises'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { isDatabaseUnavailable, isDatabaseUnreachable } from './database-unavailable.ts'

const withCode = (code: string) => Object.assign(new Error('from PostgreSQL'), { code })

it('distinguishes an unreachable server from a missing file', async () => {
  const unreachable = await new Promise((resolve) => connect('/tmp/no-such-socket').on('error', resolve))
  const missing: unknown = await readFile('/tmp/no-such-file').catch((error: unknown) => error)
  expect([unreachable, missing]).toMatchObject([{ code: 'ENOENT' }, { code: 'ENOENT' }])
  expect([isDatabaseUnavailable(unreachable), isDatabaseUnavailable(missing)]).toEqual([true, false])
})

it('distinguishes PostgreSQL errors of shutdown, overload, failover or time-out from programming errors', () => {
  const passing = ['57P01', '57P03', '53300', '08006', '57014', '55P03', '25006']
  expect(passing.filter((code) => !isDatabaseUnavailable(withCode(code)))).toEqual([])
  const ours = ['42601', '23505', '22021', '40P01']
  expect(ours.filter((code) => isDatabaseUnavailable(withCode(code)))).toEqual([])
})

it('recognises driver errors without a code', () => {
  expect(isDatabaseUnavailable(new Error('timeout exceeded when trying to connect'))).toBe(true)
  expect(isDatabaseUnavailable(new Error('Cannot read properties of undefined'))).toBe(false)
  expect(isDatabaseUnavailable('57P01')).toBe(false)
})

it('recognises a server that closes the connection during the TLS handshake', async () => {
  // PostgreSQL answers a client's request for TLS with an S.
  const server = createServer((socket) => socket.once('data', () => socket.end('S'))).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  // The cast is safe: a listening TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  const client = new pg.Client({ host: '127.0.0.1', port, ssl: { rejectUnauthorized: false } })
  const error: unknown = await client.connect().catch((reason: unknown) => reason)
  expect([isDatabaseUnavailable(error), isDatabaseUnreachable(error)]).toEqual([true, true])
})

it('distinguishes an unreachable server from a busy one', () => {
  const connectionErrors = [withCode('57P01'), withCode('08006'), new Error('Query read timeout')]
  expect(connectionErrors.map(isDatabaseUnreachable)).toEqual([true, true, true])
  const busy = [
    withCode('57014'),
    withCode('55P03'),
    withCode('53300'),
    withCode('25006'),
    new Error('timeout exceeded when trying to connect'),
  ]
  expect(busy.map(isDatabaseUnreachable)).toEqual([false, false, false, false, false])
  expect(isDatabaseUnreachable(new Error('Cannot read properties of undefined'))).toBe(false)
})
