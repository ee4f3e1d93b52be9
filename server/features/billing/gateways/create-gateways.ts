import type { Clock } from '#server/platform/clock.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { PlainRoute } from '#server/platform/http/route.ts'
import type { Log } from '#server/platform/log.ts'
import type { Db } from '#server/tables.ts'
import type { PaymentGateway } from './gateway.ts'
import { applePayRoutes } from './stripe/apple-pay-domain.ts'
import { createPaypalGateway } from './paypal/paypal-gateway.ts'
import { createWebhookSender } from './sandbox/webhooks.ts'
import { sandboxRoutes } from './sandbox/routes.ts'
import { createSandboxGateway } from './sandbox/sandbox-gateway.ts'

export interface ConfiguredGateways {
  gateways: readonly PaymentGateway[]
  /** The HTTP routes of the gateways, such as the pages of the sandbox. */
  gatewayRoutes: readonly PlainRoute[]
}

interface Settings {
  config: Config
  db: Db
  clock: Clock
  log: Log
  /** Returns the local address of this process, or undefined if it does not listen yet. */
  localUrl(): string | undefined
}

/**
 * Creates the configured gateways in the order in which they are offered, cards first. Includes the sandbox if
 * ALLOW_SANDBOX is on. The default is on if no other gateway has keys and the site has no https address.
 */
export async function createGateways(settings: Settings): Promise<ConfiguredGateways> {
  const { gateways, gatewayRoutes } = createSandbox(settings)
  return {
    gateways: [...gateways, ...(await createStripe(settings)), ...createPaypal(settings)],
    gatewayRoutes: [...gatewayRoutes, ...applePayRoutes(settings.config.stripe?.applePayDomain)],
  }
}

async function createStripe({ config, db, clock, log }: Settings): Promise<PaymentGateway[]> {
  const { stripe, publicUrl, secrets } = config
  if (!stripe || !secrets.stripe) return []
  // Loads Stripe's library only on sites with Stripe keys.
  const { createStripeGateway } = await import('./stripe/stripe-gateway.ts')
  return [createStripeGateway({ ...stripe, ...secrets.stripe, publicUrl, db, clock, log })]
}

function createPaypal({ config, clock, log }: Settings): PaymentGateway[] {
  const { paypal, publicUrl, secrets } = config
  if (!paypal || !secrets.paypal) return []
  return [createPaypalGateway({ settings: { ...paypal, ...secrets.paypal }, publicUrl, clock, log })]
}

function createSandbox({ config, db, clock, log, localUrl }: Settings): ConfiguredGateways {
  if (!config.allowSandbox) return { gateways: [], gatewayRoutes: [] }
  const secret = config.secrets.appSecret
  const notify = createWebhookSender({ secret, clock, log, address: localUrl })
  const context = { db, clock, secret, notify }
  return { gateways: [createSandboxGateway(context)], gatewayRoutes: sandboxRoutes(context) }
}
