import { useEffect, useRef } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import styles from './checkout.module.css'

interface OrderFrameProps<T> {
  /** Path of the framed page, without the language. */
  path: string
  title: string
  read: (event: MessageEvent, frame: Window | null | undefined) => T | null
  onReport: (report: T) => void
}

/** Shows the page of the card form in a frame, so that the viewer stays on the current page. */
export function OrderFrame<T>({ path, title, read, onReport }: OrderFrameProps<T>) {
  const { i18n } = useTranslation()
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const onMessage = (event: MessageEvent) => {
      const report = read(event, frame.current?.contentWindow)
      if (report) onReport(report)
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [read, onReport])
  return (
    <iframe
      ref={frame}
      className={styles.frame}
      src={`${path}&lang=${i18n.language}`}
      title={title}
      allow="payment"
    />
  )
}
