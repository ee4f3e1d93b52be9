import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { orderIdPrefixes, orderNumber } from '#contract/order-number.ts'

const id = 'ord_7f3a29c011b4d02f5ac1f00d5eedbabe'
const hexDigit = fc.constantFrom(...'0123456789abcdef')
const orderId = fc.array(hexDigit, { minLength: 32, maxLength: 32 }).map((digits) => `ord_${digits.join('')}`)

test('an order has a short number', () => {
  expect(orderNumber(id)).toBe('CH-1ZKM-AE02-6TD0')
})

test.each([
  'CH-1ZKM-AE02-6TD0',
  'ch-1zkm-ae02-6td0',
  '1zkmae026td0',
  ' CH 1ZKM AE02 6TD0 ',
  'CH-IZKM-AEO2-6TDO',
  'lzkmaeo26tdo',
])('finds the order by the number %j', (typed) => {
  expect(orderIdPrefixes(typed)).toEqual(['ord_7f3a29c011b4d'])
  expect(id.startsWith('ord_7f3a29c011b4d')).toBe(true)
})

test.each(['CH-7F3A-29C0-11B4', '7f3a29c011b4'])(
  'finds the order by %j, a number in the format of release 1.1',
  (typed) => {
    expect(orderIdPrefixes(typed)).toEqual(['ord_7f3a29c011b4'])
  },
)

test.each([id, 'ord_7f3a29c011b4'])('finds the order by %j, its id or a long beginning of it', (typed) => {
  expect(orderIdPrefixes(typed)).toEqual([typed])
})

test.each(['ord_7f3a29', 'CH-1ZKM', 'ada@example.com', 'CH-1ZKM-AE02-6TDU', 'ZZZZ-ZZZZ-ZZZ0', ''])(
  'rejects %j, which is neither an order number nor an id',
  (typed) => {
    expect(orderIdPrefixes(typed)).toEqual([])
  },
)

/** Returns the id prefix for a typed number; undefined if the number is not valid in the current format. */
const parsed = (typed: string) =>
  orderIdPrefixes(typed).find((prefix) => prefix.length === 'ord_'.length + 13)

it('finds each order by its number', () => {
  fc.assert(
    fc.property(orderId, (random) => {
      expect(random.startsWith(parsed(orderNumber(random)) ?? 'none')).toBe(true)
    }),
  )
})

it('rejects a number with one wrong character, or with two adjacent characters swapped', () => {
  const character = fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZ')
  fc.assert(
    fc.property(orderId, fc.nat(11), character, (random, position, wrong) => {
      const number = orderNumber(random).slice('CH-'.length).replaceAll('-', '')
      const replaced = number.slice(0, position) + wrong + number.slice(position + 1)
      expect(parsed(replaced) === undefined).toBe(replaced !== number)
      const pair = number.slice(position, position + 2)
      // The check character cannot detect this swap: in both positions, 0 adds 0 to the check sum, and Z adds 31.
      fc.pre(pair.length === 2 && !['0Z', 'Z0'].includes(pair))
      const swapped = number.slice(0, position) + pair.charAt(1) + pair.charAt(0) + number.slice(position + 2)
      expect(parsed(swapped) === undefined).toBe(swapped !== number)
    }),
  )
})
