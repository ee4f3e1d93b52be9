import { useTranslation } from '#web/i18n/use-translation.ts'
import { Button } from './Button.tsx'
import styles from './could-not-load.module.css'

export function CouldNotLoad({ text, onRetry }: { text?: string; onRetry: () => void }) {
  const { t } = useTranslation()
  return (
    <div className={styles.box} role="alert">
      <p>{text ?? t('list.failed')}</p>
      <Button look="quiet" onClick={onRetry}>
        {t('list.retry')}
      </Button>
    </div>
  )
}
