import { expect, test } from 'vitest'
import type { CountedCalls } from './database/share-call-counts.ts'
import { createLog } from './log.ts'
import { openNetworkQuotas } from './network-quotas.ts'
import { quotaSettings, readQuotas } from './config/read-quotas.ts'

function quotasAt(clock: { now: number }, settings: Record<string, string>) {
  const shared: CountedCalls[] = []
  const quotas = openNetworkQuotas({
    limits: readQuotas(settings),
    clock: { now: () => new Date(clock.now) },
    log: createLog({ json: true, level: 'silent' }),
    share: async (counted) => (shared.push(...counted), []),
  })
  quotas.stop()
  return quotas
}

test('a network spends its quota by amount, and regains it with time', () => {
  const clock = { now: 0 }
  const quotas = quotasAt(clock, { RATE_LIMIT_EVENT_BYTES_PER_IP: '1000/h' })
  expect(quotas.spend('eventBytes', '10.0.0.1', 600)).toBe(0)
  expect(quotas.spend('eventBytes', '10.0.0.1', 600)).toBeGreaterThan(0)
  expect(quotas.spend('eventBytes', '10.0.0.1', 400)).toBe(0)
  expect(quotas.spend('eventBytes', '10.0.0.2', 600)).toBe(0)
  clock.now = 2 * 3_600_000
  expect(quotas.spend('eventBytes', '10.0.0.1', 1000)).toBe(0)
})

test('refuses work beyond a quota, and states the seconds to wait', () => {
  const quotas = quotasAt({ now: 0 }, { RATE_LIMIT_GUESTS_PER_IP: '1/h' })
  quotas.spendOrThrow('guests', '10.0.0.1')
  expect(() => quotas.spendOrThrow('guests', '::FFFF:10.0.0.1')).toThrow(
    expect.objectContaining({ reason: 'tooManyRequests', retryAfter: 7200 }),
  )
})

test('all IPv6 networks with the same first 48 bits together have 16 times the quota of one network', () => {
  const quotas = quotasAt({ now: 0 }, { RATE_LIMIT_ORDERS_PER_IP: '2/h' })
  const waits = Array.from({ length: 100 }, (_, at) =>
    quotas.spend('orders', `2001:db8:1:${at.toString(16)}::1`),
  )
  expect(waits.filter((wait) => wait === 0)).toHaveLength(32)
  expect(quotas.spend('orders', '2001:db8:2::1')).toBe(0)
})

test('each quota has its own setting', () => {
  expect(new Set(quotaSettings).size).toBe(quotaSettings.length)
  expect(readQuotas({ RATE_LIMIT_ORDERS_PER_IP: '7/d' }).orders).toEqual({ max: 7, seconds: 86_400 })
  expect(() => readQuotas({ RATE_LIMIT_IDEMPOTENCY_KEYS_PER_IP: 'many' })).toThrow(
    'RATE_LIMIT_IDEMPOTENCY_KEYS_PER_IP',
  )
})
