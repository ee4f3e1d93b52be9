import type { OpenStripe } from './stripe-script.ts'

/** Stripe requires its script to be loaded from this address; it is loaded only where a card is needed. */
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
      reject(new Error(failure ?? "Stripe's script is not there"))
    }
    const timer = setTimeout(() => finish("Stripe's script took too long"), loadTimeoutMs)
    script.addEventListener('load', () => finish())
    script.addEventListener('error', () => finish("Stripe's script did not come"))
    script.src = source
    document.head.append(script)
  })
}
