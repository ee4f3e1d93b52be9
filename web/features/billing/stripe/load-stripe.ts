import type { OpenStripe } from './stripe-script.ts'

/** Stripe requires that its script is loaded from this address. It is loaded only on pages that need a card. */
const source = 'https://js.stripe.com/v3/'
const loadTimeoutMs = 20_000

let loading: Promise<OpenStripe> | undefined

/** Loads Stripe's script once. After a failure, the next call loads it again. */
export function loadStripe(): Promise<OpenStripe> {
  loading ??= insertScript().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

function insertScript(): Promise<OpenStripe> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    const finish = (failure?: string) => {
      clearTimeout(timer)
      if (window.Stripe && !failure) return resolve(window.Stripe)
      script.remove()
      reject(new Error(failure ?? "Stripe's script has loaded without defining window.Stripe"))
    }
    const timer = setTimeout(() => finish("Stripe's script did not load in time"), loadTimeoutMs)
    script.addEventListener('load', () => finish())
    script.addEventListener('error', () => finish("Stripe's script failed to load"))
    script.src = source
    document.head.append(script)
  })
}
