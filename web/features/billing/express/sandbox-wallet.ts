import { i18n } from '#web/i18n/index.ts'
import { money } from '#web/lib/format-money.ts'
import { settings } from '#web/lib/settings.ts'
import { storage } from '#web/lib/storage.ts'
import type { Choice } from '#web/features/billing/payments/choices.ts'
import type { ExpressWallet, WalletSettings } from '#web/features/billing/payments/express-wallet.ts'
import styles from './express-checkout.module.css'

const name = 'Sandbox Pay'
/** Maximum wait for the sheet to load. */
const loadTimeoutMs = 10_000

/** Opens the sandbox's express wallet: a button of the site, and a sheet in a frame over the whole document. */
export function openSandboxWallet({
  container,
  choice: initialChoice,
  events,
}: WalletSettings): ExpressWallet {
  let choice = initialChoice
  let sheet: ReturnType<typeof openSheet> | undefined
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = name
  button.className = styles.sandbox ?? ''
  const describe = () => (button.ariaDescription = descriptionOf(choice))
  describe()
  const close = () => {
    sheet?.remove()
    sheet = undefined
  }
  const cancel = () => {
    if (!sheet) return
    close()
    events.cancel()
  }
  const approve = ({ token, ...billingDetails }: Approved) =>
    events.confirm({
      billingDetails,
      paymentFailed: close,
      finish: close,
      entry: { check: () => true, submit: (purpose, details) => purpose.send(token, details) },
    })
  const resolve = () => {
    const amount = money(choice.cents, choice.currency)
    sheet ??= openSheet({ shop: settings.site, amount, line: descriptionOf(choice) }, { approve, cancel })
  }
  button.addEventListener('click', () => events.click({ resolve }))
  container.replaceChildren(button)
  // `none` simulates a browser without a wallet (docs/payments.md).
  const available = storage.get('sandbox_wallet') !== 'none'
  button.hidden = !available
  events.ready(available)
  return {
    change(next) {
      choice = next
      describe()
    },
    cancel,
    focus: () => button.focus({ preventScroll: true }),
    remove() {
      sheet?.remove()
      button.remove()
    },
  }
}

/**
 * Returns the name and terms of a choice. For a top-up, returns the text instead of the name, because the name is the
 * price, which the terms already contain.
 */
const descriptionOf = ({ kind, name, text, terms }: Choice) => `${kind === 'top_up' ? text : name}. ${terms}`

interface Approved {
  token: string
  name: string
  email: string
}

interface SheetEvents {
  approve(approved: Approved): void
  cancel(): void
}

/** Opens the sheet over the document, and forwards its events. */
function openSheet(purchase: { shop: string; amount: string; line: string }, events: SheetEvents) {
  const frame = document.createElement('iframe')
  frame.src = `/sandbox/express?lang=${i18n.language}`
  frame.title = name
  frame.className = styles.sheet ?? ''
  const timer = setTimeout(events.cancel, loadTimeoutMs)
  const onMessage = ({ origin, source, data }: MessageEvent) => {
    if (origin !== location.origin || source !== frame.contentWindow) return
    if (data?.type === 'ready') {
      clearTimeout(timer)
      frame.focus()
      frame.contentWindow?.postMessage({ type: 'show', ...purchase }, location.origin)
    }
    if (data?.type === 'cancelled') events.cancel()
    if (data?.type === 'approved') events.approve({ token: data.token, name: data.name, email: data.email })
  }
  addEventListener('message', onMessage)
  document.body.append(frame)
  return {
    remove() {
      clearTimeout(timer)
      removeEventListener('message', onMessage)
      frame.remove()
    },
  }
}
