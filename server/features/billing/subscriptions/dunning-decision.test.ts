import { describe, expect, test } from 'vitest'
import { decidePastDue, decideRenewal, isLive, hasNoRetryPlanned } from './dunning-decision.ts'
import type { RenewalRow } from '#server/features/billing/records/renewals/renewal-queries.ts'
import type { OrderStatus } from '#server/features/billing/tables.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const periodEnd = new Date('2026-03-01T12:00:00Z')
const after = (milliseconds: number, from = periodEnd) => new Date(from.getTime() + milliseconds)
/** A seven-day period has a grace period of three days. */
const graceEnd = after(3 * day)

/** A weekly subscription that is charged at the end of its period. */
const active = {
  status: 'active',
  period_ends_at: periodEnd,
  period_days: 7,
  grace_ends_at: null,
  next_charge_at: periodEnd,
  cancel_at_period_end: false,
  gateway: 'sandbox',
  method_reference: 'card',
  method_detached_at: null,
} as const
/** The same subscription after its first charge failed. */
const pastDue = {
  ...active,
  status: 'past_due',
  grace_ends_at: graceEnd,
  next_charge_at: after(day),
} as const
const cancelled = { cancel_at_period_end: true }
const withoutMethod = { gateway: null, method_reference: null }
const lostMethod = { ...withoutMethod, method_detached_at: after(-day) }
const gateways = [{ id: 'sandbox' as const }]

type Row = Parameters<typeof decideRenewal>[0]
type Attempt = Parameters<typeof decideRenewal>[1]['attempts'][number]

describe('a subscription without an open payment', () => {
  const decide = (row: Row, now: Date, status?: OrderStatus) =>
    decideRenewal(row, { order: status && { status }, attempts: [], gateways }, now)

  test.each<{ name: string; row: Row; until: Date }>([
    { name: 'active, until the end of its period', row: active, until: periodEnd },
    { name: 'cancelled, until the end of its period', row: { ...active, ...cancelled }, until: periodEnd },
    {
      name: 'without a method, until the end of its period',
      row: { ...active, ...withoutMethod },
      until: periodEnd,
    },
    { name: 'past due, until the next retry', row: pastDue, until: after(day) },
    {
      name: 'past due without a planned retry, until the end of its grace',
      row: { ...pastDue, next_charge_at: null },
      until: graceEnd,
    },
    {
      name: 'past due and cancelled, until the end of its grace',
      row: { ...pastDue, ...cancelled },
      until: graceEnd,
    },
    {
      name: 'past due without a method, until the end of its grace',
      row: { ...pastDue, ...lostMethod },
      until: graceEnd,
    },
  ])('waits: $name', ({ row, until }) => {
    expect(decide(row, after(-1, until))).toEqual({ do: 'wait', until })
    expect(decide(row, until).do).not.toBe('wait')
  })

  test('computes the grace from the length of its period if no grace is stored', () => {
    const row = { ...pastDue, grace_ends_at: null, next_charge_at: null }
    expect(decide(row, after(-1, graceEnd))).toEqual({ do: 'wait', until: graceEnd })
  })

  test.each<{ name: string; row: Row; now: Date; status?: OrderStatus }>([
    { name: 'at the end of the period', row: active, now: periodEnd },
    { name: 'at the next retry, with an open order', row: pastDue, now: after(day), status: 'pending' },
    { name: 'at a retry that is late', row: pastDue, now: after(90 * day), status: 'pending' },
  ])('is charged: $name', ({ row, now, status }) => {
    expect(decide(row, now, status)).toEqual({ do: 'charge' })
  })

  test.each<{ name: string; row: Row; now: Date; status?: OrderStatus }>([
    { name: 'cancelled, at the end of its period', row: { ...active, ...cancelled }, now: periodEnd },
    {
      name: 'without a method, at the end of its period',
      row: { ...active, ...withoutMethod },
      now: periodEnd,
    },
    {
      name: 'without a planned retry, at the end of its grace',
      row: { ...pastDue, next_charge_at: null },
      now: graceEnd,
      status: 'pending',
    },
    {
      name: 'cancelled while past due, at the end of its grace',
      row: { ...pastDue, ...cancelled },
      now: graceEnd,
    },
    {
      name: 'past due without a method, at the end of its grace',
      row: { ...pastDue, ...lostMethod },
      now: graceEnd,
    },
    {
      name: 'with a closed next order, at the end of its period',
      row: active,
      now: periodEnd,
      status: 'expired',
    },
    {
      name: 'with a closed next order and a detached method, at the end of its period',
      row: { ...active, ...lostMethod },
      now: periodEnd,
      status: 'cancelled',
    },
    {
      name: 'with a detached method and cancelled, at the end of its period',
      row: { ...active, ...lostMethod, ...cancelled },
      now: periodEnd,
    },
  ])('ends: $name', ({ row, now, status }) => {
    expect(decide(row, now, status)).toEqual({ do: 'end' })
  })

  test.each<(OrderStatus | undefined)[]>([[undefined], ['pending']])(
    'asks for another method at the end of the period if its method was detached (order: %s)',
    (status) => {
      const row = { ...active, ...lostMethod }
      expect(decide(row, after(-1), status)).toEqual({ do: 'wait', until: periodEnd })
      expect(decide(row, periodEnd, status)).toEqual({ do: 'ask for a method' })
    },
  )

  test('is charged with the method that replaced a detached one', () => {
    expect(decide({ ...active, method_detached_at: after(-day) }, periodEnd)).toEqual({ do: 'charge' })
  })
})

describe('a subscription whose gateway is not configured', () => {
  const decide = (row: Row, now: Date) =>
    decideRenewal(row, { order: undefined, attempts: [], gateways: [] }, now)

  test('waits for the end of its period, then for the gateway until the end of its grace', () => {
    expect(decide(active, after(-1))).toEqual({ do: 'wait', until: periodEnd })
    expect(decide(active, periodEnd)).toEqual({ do: 'await gateway', until: after(10 * minute) })
    const now = after(-minute, graceEnd)
    expect(decide({ ...pastDue, next_charge_at: now }, now)).toEqual({ do: 'await gateway', until: graceEnd })
    expect(decide({ ...pastDue, next_charge_at: graceEnd }, graceEnd)).toEqual({ do: 'end' })
  })

  test('waits for the gateway again after an outage that was longer than the grace', () => {
    const late = after(90 * day)
    expect(decide(active, late)).toEqual({ do: 'await gateway', until: after(10 * minute, late) })
  })
})

describe('a subscription with an open payment', () => {
  const decide = (row: Row, attempt: Partial<Attempt>, now: Date) => {
    const open: Attempt = {
      gateway: 'sandbox',
      status: 'processing',
      started_at: periodEnd,
      next_poll_at: after(hour),
      ...attempt,
    }
    const closed: Attempt = { ...open, status: 'failed', started_at: periodEnd }
    const attempts = [closed, open, closed]
    const step = decideRenewal(row, { order: { status: 'pending' }, attempts, gateways }, now)
    if (step.do === 'cancel attempt' || step.do === 'note pending') expect(step.attempt).toBe(open)
    return 'until' in step ? [step.do, step.until] : [step.do]
  }
  const inTenMinutes = (now: Date) => after(10 * minute, now)

  test.each(['started', 'unknown', 'requires_action', 'processing'] as const)(
    'is checked again in ten minutes, and not charged in the meantime: %s',
    (status) => {
      for (const row of [active, pastDue]) {
        const now = after(10 * minute)
        expect(decide(row, { status }, now)).toEqual(['wait', inTenMinutes(now)])
      }
    },
  )

  test('becomes past due after an hour if the payment is still open', () => {
    const now = after(hour)
    for (const status of ['started', 'unknown', 'requires_action', 'processing'] as const) {
      const attempt = { status, next_poll_at: null }
      expect(decide(active, attempt, after(-1, now))).toEqual(['wait', inTenMinutes(after(-1, now))])
      expect(decide(active, attempt, now)).toEqual(['note pending', inTenMinutes(now)])
      expect(decide(pastDue, attempt, now)).toEqual(['wait', inTenMinutes(now)])
    }
  })

  test.each<Partial<Attempt>>([
    { status: 'processing' },
    { status: 'unknown' },
    { status: 'unknown', next_poll_at: null },
    { status: 'requires_action', next_poll_at: null },
    { status: 'requires_action', gateway: 'paypal' },
  ])('ends at the end of its grace if the payment cannot be cancelled: %o', (attempt) => {
    const now = after(-1, graceEnd)
    expect(decide(pastDue, attempt, now)).toEqual(['wait', inTenMinutes(now)])
    expect(decide(pastDue, attempt, graceEnd)).toEqual(['end'])
    expect(decide(active, attempt, graceEnd)).toEqual(['end'])
  })

  test('ends an hour after a retry that was made at the end of the grace', () => {
    const last = { started_at: graceEnd }
    const now = after(hour, graceEnd)
    expect(decide(pastDue, last, after(-1, now))).toEqual(['wait', inTenMinutes(after(-1, now))])
    expect(decide(pastDue, last, now)).toEqual(['end'])
  })

  test('counts the grace from the first attempt if an outage delayed it beyond the regular grace', () => {
    const late = after(1, graceEnd)
    const attempts = [hour, 1, 0].map((sinceFirst): Attempt => {
      const isLast = sinceFirst === hour
      return {
        gateway: 'sandbox',
        status: isLast ? 'processing' : 'failed',
        started_at: after(sinceFirst, late),
        next_poll_at: null,
      }
    })
    const decideAt = (now: Date) =>
      decideRenewal(active, { order: { status: 'pending' }, attempts, gateways }, now).do
    expect(decideAt(after(3 * day - 1, late))).toBe('note pending')
    expect(decideAt(after(3 * day, late))).toBe('end')
  })

  test('cancels a payment at the end of the grace if the payment still waits for the user', () => {
    const stopped = { ...pastDue, next_charge_at: null }
    const now = after(-1, graceEnd)
    expect(decide(stopped, { status: 'requires_action' }, now)).toEqual(['wait', inTenMinutes(now)])
    expect(decide(stopped, { status: 'requires_action' }, graceEnd)).toEqual([
      'cancel attempt',
      inTenMinutes(graceEnd),
    ])
  })

  test('cancels a payment that has waited for the user for an hour if a retry is due', () => {
    const waiting = { status: 'requires_action', started_at: after(day - hour) } as const
    const now = after(day)
    expect(decide(pastDue, waiting, now)).toEqual(['cancel attempt', inTenMinutes(now)])
    expect(decide(pastDue, { ...waiting, started_at: after(1, waiting.started_at) }, now)).toEqual([
      'wait',
      inTenMinutes(now),
    ])
    for (const next_charge_at of [after(1, now), null])
      expect(decide({ ...pastDue, next_charge_at }, waiting, now)).toEqual(['wait', inTenMinutes(now)])
    expect(decide(pastDue, { ...waiting, status: 'processing' }, now)).toEqual(['wait', inTenMinutes(now)])
  })
})

describe('a failed renewal', () => {
  /** Returns the consequences of a charge that failed immediately. */
  const fail = (row: Row, triedAt: Date, reason = 'card_declined') =>
    decidePastDue(row, { reason, triedAt, now: triedAt })

  test('is retried after a third of the grace and at its end, and the mail names the date', () => {
    expect(fail(active, periodEnd)).toEqual({
      change: { grace_ends_at: graceEnd, next_charge_at: after(day), next_run_at: after(day) },
      mail: { template: 'renewalFailed', date: after(day) },
    })
    expect(fail(pastDue, after(day))).toEqual({
      change: { grace_ends_at: graceEnd, next_charge_at: graceEnd, next_run_at: graceEnd },
      mail: { template: 'renewalFailed', date: graceEnd },
    })
  })

  test('is not retried at the end of the grace, and the subscription ends immediately', () => {
    for (const now of [graceEnd, after(hour, graceEnd)])
      expect(fail(pastDue, now)).toEqual({
        change: { grace_ends_at: graceEnd, next_charge_at: null, next_run_at: now },
        mail: null,
      })
  })

  test.each([
    { reason: 'card_lost', template: 'renewalRefused' },
    { reason: 'amount_not_supported', template: 'renewalRefused' },
    { reason: 'authentication_required', template: 'bankAsks' },
  ])('is not retried before the subscriber acts if the reason is $reason', ({ reason, template }) => {
    expect(fail(active, periodEnd, reason)).toEqual({
      change: { grace_ends_at: graceEnd, next_charge_at: null, next_run_at: graceEnd },
      mail: { template, date: graceEnd },
    })
  })

  test('is retried without a mail if the gateway did not receive the payment', () => {
    expect(fail(active, periodEnd, 'not_received')).toEqual({
      change: { grace_ends_at: graceEnd, next_charge_at: after(day), next_run_at: after(day) },
      mail: null,
    })
  })

  test('is announced by mail as pending, with the end of access, while the gateway processes the payment', () => {
    expect(fail(active, periodEnd, 'processing')).toEqual({
      change: { grace_ends_at: graceEnd, next_charge_at: after(day), next_run_at: after(day) },
      mail: { template: 'renewalPending', date: graceEnd },
    })
    expect(fail(pastDue, graceEnd, 'processing').mail).toBeNull()
  })

  test('changes nothing if no retry is planned', () => {
    expect(fail({ ...pastDue, next_charge_at: null }, after(hour))).toEqual({
      change: { grace_ends_at: graceEnd, next_charge_at: null, next_run_at: graceEnd },
      mail: null,
    })
  })

  test('causes no mail if the subscription was cancelled in the meantime', () => {
    expect(fail({ ...pastDue, ...cancelled }, after(day))).toEqual({
      change: { grace_ends_at: graceEnd, next_charge_at: graceEnd, next_run_at: graceEnd },
      mail: null,
    })
  })

  test('starts the grace at the first attempt after an outage that was longer than the grace', () => {
    expect(fail(active, graceEnd).change.grace_ends_at).toEqual(graceEnd)
    const late = after(1, graceEnd)
    expect(fail(active, late)).toEqual({
      change: {
        grace_ends_at: after(3 * day, late),
        next_charge_at: after(day, late),
        next_run_at: after(day, late),
      },
      mail: { template: 'renewalFailed', date: after(day, late) },
    })
  })

  test('does not change an existing grace, even if the attempt is late', () => {
    expect(fail(pastDue, after(90 * day)).change.grace_ends_at).toEqual(graceEnd)
  })
})

test('no retry is planned if a subscription is past due and has no next charge', () => {
  expect(hasNoRetryPlanned({ status: 'past_due', next_charge_at: null })).toBe(true)
  expect(hasNoRetryPlanned({ status: 'past_due', next_charge_at: periodEnd })).toBe(false)
  expect(hasNoRetryPlanned({ status: 'active', next_charge_at: null })).toBe(false)
})

test('a subscription is live if it is active or past due and its period has an end', () => {
  const row = (status: RenewalRow['status'], period_ends_at: Date | null = periodEnd) =>
    ({ status, period_ends_at }) as RenewalRow
  expect(isLive(row('active'))).toBe(true)
  expect(isLive(row('past_due'))).toBe(true)
  for (const status of ['incomplete', 'ended', 'expired'] as const) expect(isLive(row(status))).toBe(false)
  expect(isLive(row('active', null))).toBe(false)
  expect(isLive(undefined)).toBe(false)
})
