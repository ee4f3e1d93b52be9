import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Order } from '#contract/billing.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { readExpress, readReport } from '#web/features/billing/payments/order-report.ts'
import type { Problem } from '#web/features/billing/payments/use-payment-steps.ts'
import type { Choice } from '#web/features/billing/payments/choices.ts'
import { useCloseOnBack } from '#web/ui/use-close-on-back.ts'
import type { FromExpress, ToExpress, WalletState } from '#web/features/billing/payments/express-messages.ts'
import styles from './express-frame.module.css'

interface ExpressFrameProps {
  gateway: string
  choice: Choice
  acceptedText: string
  video?: string | undefined
  /** True if the gateway does not accept the amount. */
  unavailable: boolean
  onOpen: () => void
  onPaid: (order: Order) => void
  onOwned: () => void
  onPriceChanged: (cents: number) => void
  onProblem: (problem: Problem | null) => void
}

/**
 * Embeds the express wallet's document in the selling page. Only that document may connect to gateways. The frame is as
 * high as the button. While a sheet or a 3-D Secure check is open, the frame covers the window, in the top layer if the
 * browser supports popovers.
 */
export function ExpressFrame(props: ExpressFrameProps) {
  const { t, i18n } = useTranslation()
  const { gateway, choice, acceptedText, video, unavailable } = props
  const frame = useRef<HTMLIFrameElement>(null)
  const latest = useRef(props)
  latest.current = props
  const [wallet, setWallet] = useState<WalletState>('unknown')
  const [open, setOpen] = useState(false)
  const [isLoaded, setLoaded] = useState(false)
  useEffect(() => {
    const onMessage = (event: MessageEvent) => {
      const window = frame.current?.contentWindow
      const { onPaid, onOwned } = latest.current
      const expressMessage = readExpress(event, window)
      if (expressMessage) return onExpressMessage(expressMessage)
      const report = readReport(event, window)
      if (report) setOpen(false)
      if (report?.type === 'paid') onPaid(report.order)
      if (report?.type === 'owned') onOwned()
    }
    const onExpressMessage = (message: FromExpress) => {
      const { onPriceChanged, onProblem } = latest.current
      if (message.say === 'here') setLoaded(true)
      if (message.say === 'price') onPriceChanged(message.cents)
      if (message.say !== 'state') return
      setWallet(message.wallet)
      setOpen(message.open)
      onProblem(message.problem)
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [])
  // Sent before the choice is painted, so that an immediate press opens the sheet for that choice.
  useLayoutEffect(() => {
    // An open sheet must sell what it shows, so a new choice is sent only after the sheet has closed.
    if (isLoaded && !open) send(frame.current, { type: 'buy', choice, acceptedText, video })
  }, [isLoaded, open, choice, acceptedText, video])
  useEffect(() => {
    if (open) latest.current.onOpen()
  }, [open])
  useEffect(() => {
    const element = frame.current
    if (!open || !element?.showPopover) return undefined
    element.popover = 'manual'
    element.showPopover()
    return () => {
      element.hidePopover()
      element.popover = null
    }
  }, [open])
  return (
    <div className={styles.slot} data-state={unavailable ? 'off' : wallet}>
      <iframe
        ref={frame}
        className={styles.frame}
        data-open={open}
        src={`/order/easy?kind=express&gateway=${gateway}&lang=${i18n.language}`}
        title={t('pay.wallet')}
        allow="payment"
      />
      {open && <CloseOnBack onBack={() => send(frame.current, { type: 'leave' })} />}
    </div>
  )
}

function send(frame: HTMLIFrameElement | null, message: ToExpress): void {
  frame?.contentWindow?.postMessage(message, location.origin)
}

function CloseOnBack({ onBack }: { onBack: () => void }) {
  useCloseOnBack(onBack)
  return null
}
