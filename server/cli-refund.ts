import { parseArgs } from 'node:util'
import { Refusal } from '#contract/errors.ts'
import { moneyWords } from '#contract/money.ts'
import type { Context } from '#server/context.ts'
import { selectOrder } from '#server/features/billing/order-queries.ts'
import { refundOrder, type RefundMade } from '#server/features/billing/refund-order.ts'
import { ConfigError } from '#server/platform/config-error.ts'

interface Asked {
  orderId: string
  cents: number | undefined
  reason: string
}

/**
 * Refunds an order for the operator, as the studio does. @returns what came of it, in a sentence
 * @throws ConfigError for what cannot be understood, or why it is not refunded
 */
export async function refundByCommand(context: Context, args: string[], usage: string): Promise<string> {
  const { orderId, cents, reason } = readAsked(args, usage)
  const known = await selectOrder(context.db, orderId)
  try {
    const made = await refundOrder(context, orderId, {
      reason,
      ...(cents === undefined ? {} : { amountCents: cents }),
      ...(known ? { knownRefundedCents: known.refunded_cents } : {}),
    })
    return describe(made)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new ConfigError(context.translate('en', `refusals.${error.reason}`), { cause: error })
  }
}

function readAsked(args: string[], usage: string): Asked {
  const options = { cents: { type: 'string' }, reason: { type: 'string' } } as const
  const { values, positionals } = parse(() => parseArgs({ args, options, allowPositionals: true }), usage)
  const [orderId, ...more] = positionals
  if (orderId === undefined || more.length > 0) throw new ConfigError(`Which order? ${usage}`)
  const { cents, reason = 'by the operator' } = values
  if (cents !== undefined && !/^[1-9]\d{0,8}$/.test(cents))
    throw new ConfigError(`How much? 499 is 4.99 of the order's currency. ${usage}`)
  return { orderId, cents: cents === undefined ? undefined : Number(cents), reason: reason.slice(0, 200) }
}

function parse<T>(read: () => T, usage: string): T {
  try {
    return read()
  } catch {
    throw new ConfigError(`This was not understood. ${usage}`)
  }
}

function describe({ amountCents, status, order }: RefundMade): string {
  const amount = moneyWords(amountCents, order.currency, 'en')
  if (status === 'sending')
    return `The payment service gave no answer yet. ${amount} of order ${order.id} is asked for again until it does.`
  const gone = moneyWords(order.refunded_cents, order.currency, 'en')
  const whole = moneyWords(order.amount_cents, order.currency, 'en')
  return `Refunded ${amount}. Of order ${order.id} ${gone} of ${whole} has gone back; it is ${order.status} now.`
}
