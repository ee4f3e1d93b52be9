import { expect, test, vi } from 'vitest'
import { readReport } from './order-report.ts'

const site = 'https://dramas.example'
vi.stubGlobal('location', { origin: site })

// `readReport` compares frames only by identity, and reads only these fields of an event.
const frame = {} as Window
const hear = (order: object, from: object = {}) => {
  const data = { type: 'order', made: order }
  return readReport({ origin: site, source: frame, data, ...from } as unknown as MessageEvent, frame)
}

test.each([
  ['paid', { status: 'paid', next: { type: 'none' } }],
  ['redirect', { status: 'pending', next: { type: 'redirect', url: 'https://wallet.example' } }],
  ['unpaid', { status: 'pending', next: { type: 'none' } }],
])('an order reported by the framed form becomes a report of the type "%s"', (type, order) => {
  expect(hear(order)).toMatchObject({ type, order })
})

test('an order reported by another page is ignored', () => {
  expect(hear({ status: 'paid' }, { origin: 'https://other.example' })).toBeNull()
  expect(hear({ status: 'paid' }, { source: {} })).toBeNull()
})
