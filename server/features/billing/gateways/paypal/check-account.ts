import type { Clock } from '#server/platform/clock.ts'
import type { Log } from '#server/platform/log.ts'
import { followUpEvents } from './find-payments.ts'
import { PaypalRefusal, type PaypalClient } from './paypal-client.ts'
import { disputesPath } from './read-disputes.ts'

interface Account {
  client: PaypalClient
  webhookId: string
  clock: Clock
  log: Log
}

export interface AccountCheck {
  /**
   * Checks the account, and logs missing permissions and events. Never throws. If the check fails, `mayVault` repeats
   * it later.
   */
  run(): Promise<void>
  /** Returns whether PayPal lets the account save methods. Returns false until the first successful check. */
  mayVault(): boolean
}

const recheckAfterMs = 60_000

/**
 * The webhook events that change a payment (listed in docs/payments.md), and the events by which a payment is found if
 * PayPal's response was lost.
 */
export const requiredEvents = [
  'CHECKOUT.ORDER.APPROVED',
  'CHECKOUT.PAYMENT-APPROVAL.REVERSED',
  'PAYMENT.CAPTURE.COMPLETED',
  ...followUpEvents,
  'VAULT.PAYMENT-TOKEN.CREATED',
  'VAULT.PAYMENT-TOKEN.DELETED',
  'CUSTOMER.DISPUTE.CREATED',
  'CUSTOMER.DISPUTE.UPDATED',
  'CUSTOMER.DISPUTE.RESOLVED',
]

/** Creates the check of the permissions and webhook events of the operator's PayPal account. */
export function createAccountCheck({ client, webhookId, clock, log }: Account): AccountCheck {
  let isVaultAllowed: boolean | undefined
  let checkedAt = 0

  const run = async () => {
    checkedAt = clock.now().getTime()
    try {
      const missing = await listMissingEvents(client, webhookId)
      if (missing.length > 0)
        log.error(
          { missing },
          "PayPal's webhook is not subscribed to all required events; add these events at PayPal",
        )
      if (!(await hasPermission(client, `${disputesPath}?page_size=1`)))
        log.error(
          'The PayPal app may not read disputes, so chargebacks are not recorded; grant it the permission at PayPal',
        )
      isVaultAllowed = await hasPermission(client, '/v3/vault/payment-tokens?customer_id=cliffhanger')
      if (!isVaultAllowed)
        log.warn(
          'The PayPal account may not save payment methods (vault), so PayPal is not offered for subscriptions',
        )
    } catch (error) {
      log.error({ err: error }, 'The permissions of the PayPal account could not be read; retrying later')
    }
  }
  return {
    run,
    mayVault() {
      if (isVaultAllowed === undefined && clock.now().getTime() - checkedAt > recheckAfterMs) void run()
      return isVaultAllowed === true
    },
  }
}

/** Returns whether the account has the permission to read a path. PayPal answers 403 to an account without it. */
async function hasPermission(client: PaypalClient, path: string): Promise<boolean> {
  try {
    await client.request({ method: 'GET', path })
    return true
  } catch (error) {
    if (!(error instanceof PaypalRefusal && error.isFinal)) throw error
    return error.status !== 403
  }
}

/**
 * Returns the required events that PayPal does not send to the site's webhook. Returns all of them if PayPal does not
 * know the webhook.
 */
export async function listMissingEvents(client: PaypalClient, webhookId: string): Promise<string[]> {
  const subscribedEvents = await listSubscribedEvents(client, webhookId)
  return subscribedEvents.has('*') ? [] : requiredEvents.filter((name) => !subscribedEvents.has(name))
}

async function listSubscribedEvents(client: PaypalClient, webhookId: string): Promise<ReadonlySet<string>> {
  const path = `/v1/notifications/webhooks/${encodeURIComponent(webhookId)}`
  try {
    const { event_types = [] } = await client.request<{ event_types?: { name: string }[] }>({
      method: 'GET',
      path,
    })
    return new Set(event_types.map(({ name }) => name))
  } catch (error) {
    if (error instanceof PaypalRefusal && error.status === 404) return new Set()
    throw error
  }
}
