import type { ReactNode } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Button } from './Button.tsx'
import styles from './load-error.module.css'

interface LoadErrorProps {
  text?: string
  onRetry: () => void
  /** Another action, shown before the retry button. */
  children?: ReactNode
}

export function LoadError({ text, onRetry, children }: LoadErrorProps) {
  const { t } = useTranslation()
  return (
    <div className={styles.box} role="alert">
      <p>{text ?? t('list.failed')}</p>
      {children}
      <Button variant="quiet" onClick={onRetry}>
        {t('list.retry')}
      </Button>
    </div>
  )
}
