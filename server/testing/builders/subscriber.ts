import { getUser, type Membership } from '#contract/members.ts'
import { getEpisode } from '#contract/media.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'
import type { BillingSite } from '#server/testing/site/billing-site.ts'
import { Shopper, testCards } from './shopper.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

interface Purchase {
  /** Length of the plan's period in days. */
  days?: number
  card?: string
  email?: string
  /** Id of the locked episode at whose paywall the plan is bought. */
  episode_id?: string
  /** Request headers of the call that creates the order. */
  headers?: Record<string, string>
}

/** A subscriber, with helpers for tests. */
export class Subscriber {
  readonly shopper: Shopper
  readonly userId: string
  readonly subscriptionId: string
  private readonly site: BillingSite

  private constructor(site: BillingSite, shopper: Shopper, userId: string, subscriptionId: string) {
    this.site = site
    this.shopper = shopper
    this.userId = userId
    this.subscriptionId = subscriptionId
  }

  static async create(
    site: BillingSite,
    { days = 7, card = testCards.pays, email, episode_id, headers = {} }: Purchase = {},
  ): Promise<Subscriber> {
    const shopper = await Shopper.create(site)
    const plan_id = (await shopper.plan(days)).id
    const from = episode_id === undefined ? {} : { episode_id }
    const params = { kind: 'plan', plan_id, ...from, ...(email === undefined ? {} : { email }) } as const
    const bought = await shopper.buy(params, card, headers)
    const { subscription_id, user_id } = await site.context.db
      .selectFrom('orders')
      .select(['subscription_id', 'user_id'])
      .where('id', '=', bought.info?.id ?? '')
      .executeTakeFirstOrThrow()
    if (subscription_id === null || bought.info?.status !== 'paid') throw new Error(JSON.stringify(bought))
    return new Subscriber(site, shopper, user_id, subscription_id)
  }

  /** Advances the site's clock and runs the renewals. */
  async advanceAndRenew(milliseconds: number): Promise<void> {
    this.site.advanceClock(milliseconds)
    await renewDueSubscriptions(this.site.context)
  }

  subscriptionRow() {
    const rows = this.site.context.db.selectFrom('subscriptions').selectAll()
    return rows.where('id', '=', this.subscriptionId).executeTakeFirstOrThrow()
  }

  orders() {
    const rows = this.site.context.db.selectFrom('orders').selectAll()
    return rows.where('user_id', '=', this.userId).orderBy('created_at').orderBy('period_no').execute()
  }

  /** Returns this subscriber's payments at the gateway; with `status`, only those in that status. */
  async payments(status?: Payment['status']): Promise<Payment[]> {
    const ids = (await this.orders()).map(({ id }) => id)
    const all = await listAllPayments(this.site.sandboxGateway)
    return all.filter((one) => ids.includes(one.orderId) && (status ?? one.status) === one.status)
  }

  /** Returns the payment attempts of this subscriber's renewals, oldest first. */
  async renewalAttempts() {
    const rows = await this.site.context.db
      .selectFrom('payment_attempts')
      .innerJoin('orders', 'orders.id', 'payment_attempts.order_id')
      .select(['payment_attempts.started_at', 'payment_attempts.status', 'payment_attempts.idempotency_key'])
      .where('orders.user_id', '=', this.userId)
      .where('orders.period_no', '>', 0)
      .orderBy('payment_attempts.started_at')
      .execute()
    return rows.map((row) => ({
      key: row.idempotency_key,
      status: row.status,
      startedAt: row.started_at.getTime(),
    }))
  }

  /** Returns the amounts of this subscriber's payments in cents. */
  async paymentAmounts(status?: Payment['status']): Promise<number[]> {
    return (await this.payments(status)).map(({ amountCents }) => amountCents)
  }

  /** Returns the subjects of the mails to this subscriber, without receipts. */
  async mailSubjects(): Promise<string[]> {
    const subjects = (await this.site.mails(this.shopper.email)).map(({ subject }) => subject)
    return subjects.filter((subject) => !subject.startsWith('Your receipt'))
  }

  async membership(): Promise<Membership> {
    return (await this.shopper.visitor.callOk(getUser)).membership
  }

  async canPlay(): Promise<boolean> {
    const query = { episode_id: this.site.video.episodes[4]?.id ?? '' }
    return (await this.shopper.visitor.call(getEpisode, { query })).answer.code === 200
  }
}
