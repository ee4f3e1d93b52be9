import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Order } from '#contract/billing.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { readExpress, readReport } from '#web/features/billing/payments/order-report.ts'
import type { Problem } from '#web/features/billing/payments/use-payment-steps.ts'
import type { Choice } from '#web/features/billing/payments/price-copy.ts'
import { useBackCloses } from '#web/ui/use-back-closes.ts'
import type { FromExpress, ToExpress, WalletState } from '#web/features/billing/payments/express-messages.ts'
import styles from './express-frame.module.css'

interface ExpressFrameProps {
  gateway: string
  choice: Choice
  words: string
  video?: string | undefined
  /** True if the gateway does not accept the amount. */
  off: boolean
  onOpen: () => void
  onPaid: (order: Order) => void
  onOwned: () => void
  onOtherPrice: (cents: number) => void
  onProblem: (problem: Problem | null) => void
}

/**
 * The frame of the express wallet in the page that sells. Its document is the one that may connect to gateways. The frame is as
 * high as the button; while a sheet or a bank's check is open it covers the window, in the top layer if the browser supports it.
 */
export function ExpressFrame(props: ExpressFrameProps) {
  const { t, i18n } = useTranslation()
  const { gateway, choice, words, video, off } = props
  const frame = useRef<HTMLIFrameElement>(null)
  const latest = useRef(props)
  latest.current = props
  const [wallet, setWallet] = useState<WalletState>('unknown')
  const [open, setOpen] = useState(false)
  const [isThere, setThere] = useState(false)
  useEffect(() => {
    const hear = (event: MessageEvent) => {
      const window = frame.current?.contentWindow
      const { onPaid, onOwned } = latest.current
      const said = readExpress(event, window)
      if (said) return follow(said)
      const report = readReport(event, window)
      if (report) setOpen(false)
      if (report?.type === 'paid') onPaid(report.order)
      if (report?.type === 'owned') onOwned()
    }
    const follow = (said: FromExpress) => {
      const { onOtherPrice, onProblem } = latest.current
      if (said.say === 'here') setThere(true)
      if (said.say === 'price') onOtherPrice(said.cents)
      if (said.say !== 'state') return
      setWallet(said.wallet)
      setOpen(said.open)
      onProblem(said.problem)
    }
    addEventListener('message', hear)
    return () => removeEventListener('message', hear)
  }, [])
  // Before the choice is painted, so that an immediate press opens the sheet of that choice.
  useLayoutEffect(() => {
    // An open sheet must sell what it shows: a new choice is sent after it closes.
    if (isThere && !open) send(frame.current, { type: 'buy', choice, words, video })
  }, [isThere, open, choice, words, video])
  useEffect(() => {
    if (open) latest.current.onOpen()
  }, [open])
  useEffect(() => {
    const shown = frame.current
    if (!open || !shown?.showPopover) return undefined
    shown.popover = 'manual'
    shown.showPopover()
    return () => {
      shown.hidePopover()
      shown.popover = null
    }
  }, [open])
  return (
    <div className={styles.slot} data-state={off ? 'off' : wallet}>
      <iframe
        ref={frame}
        className={styles.frame}
        data-open={open}
        src={`/order/easy?kind=express&gateway=${gateway}&lang=${i18n.language}`}
        title={t('pay.wallet')}
        allow="payment"
      />
      {open && <BackLeaves onBack={() => send(frame.current, { type: 'leave' })} />}
    </div>
  )
}

function send(frame: HTMLIFrameElement | null, message: ToExpress): void {
  frame?.contentWindow?.postMessage(message, location.origin)
}

function BackLeaves({ onBack }: { onBack: () => void }) {
  useBackCloses(onBack)
  return null
}
