import { useEffect, useRef } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import styles from './order-page.module.css'

/**
 * The bank's 3-D Secure page in a frame. It reports only that the check has ended; the result is read from the order.
 */
export function ThreeDSecureFrame({ url, onChecked }: { url: string; onChecked: () => void }) {
  const { t, i18n } = useTranslation()
  const frame = useRef<HTMLIFrameElement>(null)
  // The form was scrolled to its button, but the bank's question is at the top of the frame. `scrollIntoView` would also
  // scroll the page around the form.
  useEffect(() => {
    if (frame.current) scrollTo(0, frame.current.offsetTop)
  }, [])
  useEffect(() => {
    const onMessage = ({ origin, source, data }: MessageEvent) => {
      if (
        origin === location.origin &&
        source === frame.current?.contentWindow &&
        data?.type === 'authenticated'
      )
        onChecked()
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [onChecked])
  return (
    <iframe
      ref={frame}
      className={styles.bank}
      src={`${url}&lang=${i18n.language}`}
      title={t('order.bankVerification')}
    />
  )
}
