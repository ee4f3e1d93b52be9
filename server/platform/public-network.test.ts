import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isPublicAddress, isPublicUrl, openPublicLookup } from './public-network.ts'

describe('an address that is not public', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    'fc00::1',
    'fe80::1',
    'ff02::1',
    '2002:a00:1::',
    '2001:db8::1',
    'localhost',
  ])('%s', (address) => expect(isPublicAddress(address)).toBe(false))
})

it.each(['8.8.8.8', '172.32.0.1', '223.255.255.254', '2607:f8b0:4005::1', '2a00:1450:4001::1'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
)

it.each([
  'http://push.example.com/x',
  'https://push.example.com:8443/x',
  'https://user:word@push.example.com/x',
  'https://127.0.0.1/x',
  'https://2130706433/x',
  'https://0x7f.1/x',
  'https://[::1]/x',
  'https://localhost/x',
  'https://database/x',
  'no address',
])('%s is not a public URL', (url) => expect(isPublicUrl(url)).toBe(false))

it('allows a host name on the default https port', () =>
  expect(isPublicUrl('https://fcm.googleapis.com/fcm/send/abc')).toBe(true))

/**
 * Starts a name server that answers queries for an IPv4 address with `address`, and other queries without an address.
 * @returns a lookup that uses it
 */
async function openNameServer(address: string) {
  const server = createSocket('udp4')
  server.on('message', (question, { port }) => {
    const end = question.indexOf(0, 12) + 5
    const isForIPv4 = question.readUInt16BE(end - 4) === 1
    const head = Buffer.from(question.subarray(0, 12))
    head.writeUInt16BE(0x81_80, 2)
    head.writeUInt16BE(isForIPv4 ? 1 : 0, 6)
    head.writeUInt32BE(0, 8)
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)])
    const parts = [head, question.subarray(12, end), ...(isForIPv4 ? [answer] : [])]
    server.send(Buffer.concat(parts), port, '127.0.0.1')
  })
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const resolver = new Resolver({ timeout: 60_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${server.address().port}`])
  return openPublicLookup(resolver)
}

const lookUp = (by: LookupFunction, name: string, options: { all: boolean }) =>
  new Promise((resolve) => by(name, options, (error, found) => resolve(error?.name ?? found)))

describe.each([{ all: true }, { all: false }])('the lookup of a name (%o)', (options) => {
  it('returns the address of a public host from its name server', async () => {
    const found = options.all ? [{ address: '8.8.8.8', family: 4 }] : '8.8.8.8'
    expect(await lookUp(await openNameServer('8.8.8.8'), 'push.example.com', options)).toEqual(found)
  })

  it('refuses a name that resolves to a private address', async () => {
    const by = await openNameServer('10.0.0.1')
    expect(await lookUp(by, 'push.example.com', options)).toBe('NotPublicError')
  })

  it('refuses the name of this machine', async () => {
    expect(await lookUp(openPublicLookup(), 'localhost', options)).toBe('NotPublicError')
  })
})
