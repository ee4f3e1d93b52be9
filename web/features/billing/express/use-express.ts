import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type Dispatch,
  type RefObject,
  type SetStateAction,
} from 'react'
import type { Order } from '#contract/billing.ts'
import type { BillingDetails } from '#web/features/billing/payments/billing-details.ts'
import { usePayment } from '#web/features/billing/payments/use-payment.ts'
import type { CheckoutParams } from '#web/features/billing/payments/checkout-params.ts'
import type { Choice } from '#web/features/billing/payments/choices.ts'
import { isValidName } from '#web/lib/validation.ts'
import type { WalletState } from '#web/features/billing/payments/express-messages.ts'
import type {
  Approval,
  ExpressWallet,
  WalletBillingDetails,
  WalletEvents,
  WalletSettings,
} from '#web/features/billing/payments/express-wallet.ts'
import { storeWalletAvailability } from './wallet-availability.ts'

export interface ExpressPurchase {
  params: CheckoutParams
  choice: Choice
  /** The text beside the button, which the user accepts by approving the payment. */
  acceptedText: string
  immediateDelivery: boolean
}

interface PriceEvents {
  onPriceChanged(cents: number): void
  onOwned(): void
}

/** Maximum wait for a wallet to load. */
const loadTimeoutMs = 12_000

/**
 * Mounts an express wallet. A press on its button opens the sheet; the user's approval there creates and pays the
 * order.
 */
export function useExpress(
  { params, choice, acceptedText, immediateDelivery }: ExpressPurchase,
  priceEvents: PriceEvents,
) {
  const approval = useRef<Approval>(null)
  const [state, setState] = useState<WalletState>('unknown')
  const [isOpen, setOpen] = useState(false)
  const paymentOptions = {
    acceptedText,
    saveText: undefined,
    price: choice,
    immediateDelivery,
    ...priceEvents,
  }
  const { step, problem, submit, checked, leaveCheck } = usePayment(params, paymentOptions, null)

  const events = useRef<WalletEvents>(null)
  events.current = {
    ready(available) {
      storeWalletAvailability(params.gateway, available)
      setState(available ? 'ready' : 'none')
    },
    failed: () => setState('none'),
    click({ resolve }) {
      if (step.at !== 'form') return
      setOpen(true)
      resolve()
    },
    cancel: () => setOpen(false),
    confirm(approved) {
      // A sheet is approved once; ignore further presses.
      if (approval.current) return
      approval.current = approved
      void submit(billingDetailsOf(approved.billingDetails), approved.entry)
    },
  }

  const { place, wallet } = useMountedWallet(params.gateway, choice, events, setState)

  // When the payment has ended, with any result, close the sheet.
  useEffect(() => {
    const approved = approval.current
    if (!approved || step.at === 'working') return
    approval.current = null
    setOpen(false)
    if (problem) approved.paymentFailed()
    else approved.finish()
  }, [step, problem])

  const isBusy = isOpen || step.at !== 'form'
  const wasBusy = useRef(false)
  useEffect(() => {
    if (wasBusy.current && !isBusy) wallet.current?.focus()
    wasBusy.current = isBusy
  }, [isBusy, wallet])

  return {
    place,
    state,
    step,
    problem,
    /** True while a sheet or a 3-D Secure check is visible, false while only the button is. */
    isOpen: isBusy,
    /** Called when the 3-D Secure check has ended. */
    checked: (order: Order) => void checked(order),
    leaveCheck,
    /** Closes the open sheet or 3-D Secure check if possible. */
    close() {
      if (step.at === 'bank') leaveCheck()
      else if (step.at === 'form') wallet.current?.cancel()
    },
  }
}

/** Mounts the gateway's wallet in the element of `place`, and passes changes of the choice to the wallet. */
function useMountedWallet(
  gateway: string,
  choice: Choice,
  events: RefObject<WalletEvents | null>,
  setState: Dispatch<SetStateAction<WalletState>>,
) {
  const place = useRef<HTMLDivElement>(null)
  const wallet = useRef<ExpressWallet>(null)
  const latest = useRef(choice)
  latest.current = choice
  useEffect(() => {
    if (!place.current) return undefined
    let isUnmounted = false
    const timer = setTimeout(
      () => !isUnmounted && setState((known) => (known === 'unknown' ? 'none' : known)),
      loadTimeoutMs,
    )
    const forwardedEvents: WalletEvents = {
      ready: (available) => isUnmounted || events.current?.ready(available),
      failed: () => isUnmounted || events.current?.failed(),
      click: (click) => events.current?.click(click),
      confirm: (approved) => events.current?.confirm(approved),
      cancel: () => isUnmounted || events.current?.cancel(),
    }
    const open = async (shown: HTMLElement) => {
      const initialChoice = latest.current
      const openedWallet = await openWallet(gateway, {
        container: shown,
        choice: initialChoice,
        events: forwardedEvents,
      })
      if (isUnmounted) return openedWallet.remove()
      wallet.current = openedWallet
      // The choice may have changed while the wallet's script loaded.
      if (latest.current !== initialChoice) openedWallet.change(latest.current)
    }
    open(place.current).catch(forwardedEvents.failed)
    return () => {
      isUnmounted = true
      clearTimeout(timer)
      wallet.current?.remove()
      wallet.current = null
    }
  }, [gateway, events, setState])
  const { kind, id, cents, currency } = choice
  useLayoutEffect(() => {
    wallet.current?.change(latest.current)
  }, [kind, id, cents, currency])
  return { place, wallet }
}

/**
 * Converts a wallet's billing details to the billing details of the form. A wallet's name is one string, or missing.
 */
function billingDetailsOf({ name = '', email = '' }: WalletBillingDetails = {}): BillingDetails {
  const nameParts = name.trim().split(/\s+/)
  const last = nameParts.pop() ?? ''
  const first = nameParts.join(' ')
  return isValidName(first) && isValidName(last) ? { email, first, last } : { email, first: '', last: '' }
}

/** Opens a gateway's express wallet. The wallet's module is loaded on demand. */
async function openWallet(gateway: string, settings: WalletSettings): Promise<ExpressWallet> {
  if (gateway === 'stripe')
    return (await import('#web/features/billing/stripe/stripe-wallet.ts')).openStripeWallet(settings)
  return (await import('./sandbox-wallet.ts')).openSandboxWallet(settings)
}
