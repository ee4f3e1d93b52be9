import { useEffect, useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { isFramed } from './order-report.ts'
import { OrderForm } from './OrderForm.tsx'
import { loadChoice, readWish } from './wish.ts'
import type { Choice } from './words.ts'
import styles from './order-page.module.css'

const wish = readWish(location.search)

/** The card form's document: inside a sheet of the video page, or a page of its own. */
export function OrderPage() {
  const { t } = useTranslation()
  const { choice, failed, load } = useChoice()
  return (
    <main className={styles.page} data-framed={isFramed()} aria-label={t('order.title')}>
      {isFramed() ? (
        <h1 className="hidden-text">{t('order.title')}</h1>
      ) : (
        <h1 className={styles.title}>{t('order.title')}</h1>
      )}
      {failed && <CouldNotLoad onRetry={load} />}
      {!failed && choice === undefined && (
        <div className={styles.skeleton} role="status" aria-label={t('list.loading')} />
      )}
      {choice === null && <Nothing />}
      {choice && wish && <OrderForm wish={wish} choice={choice} />}
    </main>
  )
}

function Nothing() {
  const { t } = useTranslation()
  return (
    <div className={styles.nothing}>
      <p>{t('order.unknownWish')}</p>
      <a className={buttonClass('main')} href={paths.home.to()} target="_top">
        {t('list.emptyWay')}
      </a>
    </div>
  )
}

function useChoice() {
  const { t } = useTranslation()
  const [choice, setChoice] = useState<Choice | null | undefined>(wish ? undefined : null)
  const [failed, setFailed] = useState(false)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (!wish) return
    setFailed(false)
    loadChoice(t, wish).then(setChoice, () => setFailed(true))
  }, [t, tries])
  return { choice, failed, load: () => setTries((count) => count + 1) }
}
