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
  /** Whether the gateway takes no such amount. */
  off: boolean
  onOpen: () => void
  onPaid: (order: Order) => void
  onOwned: () => void
  onOtherPrice: (cents: number) => void
  onProblem: (problem: Problem | null) => void
}

/**
 * The express wallet on the page that sells, in the document that may turn to gateways. The frame is as high as the button; while
 * there is a sheet or a bank's check to show it lies over the whole window, in the top layer where the browser has one.
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
  // Before the choice is painted, so that a press right after it opens the sheet of that choice.
  useLayoutEffect(() => {
    // What the open sheet shows is what is bought: another choice waits until it is closed.
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
