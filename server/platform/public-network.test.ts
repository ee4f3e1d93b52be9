import { describe, expect, it, test } from 'vitest'
import { isPublicAddress, isPublicUrl, lookupPublic } from './public-network.ts'

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
])('sends nothing to %s', (url) => expect(isPublicUrl(url)).toBe(false))

it('allows a host name on the default https port', () =>
  expect(isPublicUrl('https://fcm.googleapis.com/fcm/send/abc')).toBe(true))

const lookUp = (name: string, options: { all: boolean }) =>
  new Promise((resolve) => lookupPublic(name, options, (error) => resolve(error?.name)))

test.each([{ all: true }, { all: false }])(
  'does not connect to a name that resolves to this machine (%o)',
  async (options) => {
    expect(await lookUp('localhost', options)).toBe('NotPublic')
  },
)
