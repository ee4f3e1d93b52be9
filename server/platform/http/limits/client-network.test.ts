import { expect, test } from 'vitest'
import { countedNetworks, networkOf } from './client-network.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['203.000.113.007', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:203.0.113.7', '203.0.113.7'],
  ['0:0:0:0:0:ffff:cb00:7107', '203.0.113.7'],
  ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2'],
  ['2001:db8:00001:2::9', '2001:db8:1:2'],
  ['[2001:db8:1:2::9]:443', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['64:ff9b::203.0.113.7', '203.0.113.7'],
  ['2002:cb00:7107:5::9', '203.0.113.7'],
  ['::1', '0:0:0:0'],
  ['::', '0:0:0:0'],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test.each(['', 'Unknown', '1.2.3', '1.2.3.256', '1::2::3', ':1:2:3:4:5:6:7', 'g::1', '1.2.3.4:port'])(
  'counts an invalid address (%s) as itself, in lower case',
  (text) => {
    expect(networkOf(text)).toBe(text.toLowerCase())
  },
)

test('truncates a text that is not an address', () => {
  expect(networkOf('A'.repeat(5000))).toBe('a'.repeat(64))
})

test.each([
  ['203.0.113.7', ['203.0.113.7']],
  ['::ffff:203.0.113.7', ['203.0.113.7']],
  ['unknown', ['unknown']],
  ['2001:db8:1:2::9', ['2001:db8:1:2', '2001:db8:1/48']],
  ['2001:db8:1:ffff::9', ['2001:db8:1:ffff', '2001:db8:1/48']],
])('%s counts against %j', (address, networks) => {
  expect(countedNetworks(address).map(({ network }) => network)).toEqual(networks)
})
