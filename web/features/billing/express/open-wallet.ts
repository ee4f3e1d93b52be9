import type { ExpressWallet, WalletSettings } from '#web/features/billing/payments/express-wallet.ts'

/** Opens the express wallet of a gateway. Stripe's is a file of its own, which only comes where it is wanted. */
export async function openWallet(gateway: string, settings: WalletSettings): Promise<ExpressWallet> {
  if (gateway === 'stripe')
    return (await import('#web/features/billing/stripe/express-element.ts')).openStripeWallet(settings)
  return (await import('./sandbox-wallet.ts')).openSandboxWallet(settings)
}
