import { setTimeout as delay } from 'node:timers/promises'
import { FakePaypal } from '#server/features/billing/gateways/paypal/fake/fake-paypal.ts'
import { PaypalScenarios } from '#server/testing/fakes/paypal-scenarios.ts'
import { startFakeStripe, type FakeStripe } from '#server/testing/fakes/fake-stripe.ts'
import { randomFault } from './faulty-sandbox.ts'

/** Fake HTTP servers of Stripe and PayPal. They keep running when a process of the site is killed. */
export interface FakeGateways {
  stripe: FakeStripe
  paypal: FakePaypal
  /** The settings of a site that uses these servers. */
  env: Record<string, string>
  /** Sets by how many milliseconds the servers' clocks are ahead of the real time. */
  setAhead(aheadMs: number): void
  /** PayPal's payment scenarios, such as a decline or a dispute, and their counts. */
  readonly scenarios: PaypalScenarios
  /** Starts network faults in every request that moves money. */
  startFaults(): void
  /** Ends the network faults. */
  recover(): void
  /** Brings PayPal's payments to their final states and ends the scenarios. */
  endScenarios(): void
  /** Returns the number of webhook events sent so far. */
  sent(): number
  close(): Promise<void>
}

const pauseMs = 100
/**
 * `scenarioOdds` is the probability that PayPal changes a payment in one interval of `pauseMs`. `pendingOdds` is the
 * probability that a payment is pending at first.
 */
const scenarioOdds = 0.003
const pendingOdds = 0.15
/** Probability that an accepted webhook event is sent again. */
const repeatProbability = 0.2
/** Delay in milliseconds of a response that times out. */
const holdMs = 1500
const paypalMovesMoney = /^POST \/v2\/(checkout\/orders|payments\/captures)/

/**
 * Starts both servers. Like the real gateways, they send each webhook event until the site accepts it, and sometimes
 * send an accepted event again. The events arrive in any order. Meanwhile, some of PayPal's payments are pending,
 * declined, disputed, reversed or partially refunded.
 */
export async function startFakeGateways(siteUrl: string): Promise<FakeGateways> {
  let aheadMs = 0
  const stripe = await startFakeStripe({ now: () => new Date(Date.now() + aheadMs) })
  const paypal = await FakePaypal.start()
  const sent = new Set<string>()
  const scenarios = new PaypalScenarios(paypal, {
    now: () => new Date(Date.now() + aheadMs),
    odds: scenarioOdds,
  })
  paypal.orders.nextFunding = () => (Math.random() < pendingOdds ? 'pending' : 'pays')
  let open = true
  let hasScenarios = true
  let faultTimer: NodeJS.Timeout | undefined
  let endStripeFaults = () => {}

  async function deliverEvents(): Promise<void> {
    while (open) {
      if (hasScenarios) scenarios.step()
      await Promise.all([
        deliverAll(
          `${siteUrl}/api/webhook/payment/stripe`,
          stripe.events.map(({ id, type, object }) => ({ id, type, object: 'event', data: { object } })),
          (event) => stripe.sign(event),
        ),
        deliverAll(`${siteUrl}/api/webhook/payment/paypal`, paypal.events, (event) => paypal.signed(event)),
      ])
      await delay(pauseMs)
    }
  }

  async function deliverAll<T extends { id: string }>(
    url: string,
    events: readonly T[],
    sign: (event: T) => { body: Buffer; headers: Record<string, string> },
  ): Promise<void> {
    const pending = events.filter(({ id }) => !sent.has(id))
    for (const event of pending.toSorted(() => Math.random() - 0.5)) {
      const { body, headers } = sign(event)
      const isAccepted = await fetch(url, { method: 'POST', body: body.toString(), headers }).then(
        ({ ok }) => ok,
        () => false,
      )
      if (!isAccepted) return
      if (Math.random() > repeatProbability) sent.add(event.id)
    }
  }

  const delivering = deliverEvents()
  const fakes: FakeGateways = {
    stripe,
    paypal,
    scenarios,
    env: { ...stripe.env, ...paypal.settings, ALLOW_SANDBOX: '1' },
    setAhead(milliseconds) {
      aheadMs = paypal.clockOffsetMs = milliseconds
    },
    startFaults() {
      fakes.recover()
      endStripeFaults = stripe.fail(randomFault)
      paypal.fault = { on: paypalMovesMoney, with: Array.from({ length: 1000 }, randomFault) }
      faultTimer = setTimeout(() => fakes.startFaults(), holdMs)
    },
    recover() {
      clearTimeout(faultTimer)
      endStripeFaults()
      paypal.recover()
    },
    endScenarios() {
      hasScenarios = false
      paypal.orders.nextFunding = () => 'pays'
      while (!scenarios.isIdle) scenarios.runDueEvents()
      scenarios.finishPending()
    },
    sent: () => sent.size,
    async close() {
      open = false
      fakes.recover()
      await delivering
      await Promise.all([stripe.close(), paypal.close()])
    },
  }
  return fakes
}
