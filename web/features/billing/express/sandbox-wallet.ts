import { i18n } from '#web/i18n/index.ts'
import { money } from '#web/lib/money.ts'
import { settings } from '#web/lib/settings.ts'
import { storage } from '#web/lib/storage.ts'
import type { Choice } from '#web/features/billing/payments/price-copy.ts'
import type { ExpressWallet, WalletSettings } from '#web/features/billing/payments/express-wallet.ts'
import styles from './express.module.css'

const name = 'Sandbox Pay'
/** Maximum wait for the sheet to load. */
const patienceMs = 10_000

/** Opens the sandbox's express wallet: the site's own button, and a sheet in a frame over the whole document. */
export function openSandboxWallet({ place, choice: first, events }: WalletSettings): ExpressWallet {
  let choice = first
  let sheet: ReturnType<typeof openSheet> | undefined
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = name
  button.className = styles.sandbox ?? ''
  const describe = () => (button.ariaDescription = lineOf(choice))
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
      entry: { check: () => true, give: (purpose, details) => purpose.send(token, details) },
    })
  const resolve = () => {
    const amount = money(choice.cents, choice.currency)
    sheet ??= openSheet({ shop: settings.site, amount, line: lineOf(choice) }, { approve, cancel })
  }
  button.addEventListener('click', () => events.click({ resolve }))
  place.replaceChildren(button)
  // Simulates a browser without a wallet: docs/payments.md.
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

const lineOf = ({ name, terms }: Choice) => `${name}. ${terms}`

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
function openSheet(purchase: { shop: string; amount: string; line: string }, on: SheetEvents) {
  const frame = document.createElement('iframe')
  frame.src = `/sandbox/express?lang=${i18n.language}`
  frame.title = name
  frame.className = styles.sheet ?? ''
  const timer = setTimeout(on.cancel, patienceMs)
  const hear = ({ origin, source, data }: MessageEvent) => {
    if (origin !== location.origin || source !== frame.contentWindow) return
    if (data?.type === 'ready') {
      clearTimeout(timer)
      frame.focus()
      frame.contentWindow?.postMessage({ type: 'show', ...purchase }, location.origin)
    }
    if (data?.type === 'cancelled') on.cancel()
    if (data?.type === 'approved') on.approve({ token: data.token, name: data.name, email: data.email })
  }
  addEventListener('message', hear)
  document.body.append(frame)
  return {
    remove() {
      clearTimeout(timer)
      removeEventListener('message', hear)
      frame.remove()
    },
  }
}
