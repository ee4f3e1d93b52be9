import type { TFunction } from 'i18next'
import { useEffect, useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import type { CardFields } from './card-entry.ts'
import { ChangePlan } from './ChangePlan.tsx'
import { loadCardFields } from './load-card-fields.ts'
import { isFramed } from './order-report.ts'
import { OrderForm } from './OrderForm.tsx'
import { loadWish, readWish, type PlanChange, type Wish } from './wish.ts'
import type { Choice } from './words.ts'
import styles from './order-page.module.css'

const wish = readWish(location.search)

/** The card form's document: inside a sheet of the video page, or a page of its own. */
export function OrderPage() {
  const { t } = useTranslation()
  const { form, failed, load } = useForm()
  return (
    <main className={styles.page} data-framed={isFramed()} aria-label={t('order.title')}>
      {isFramed() ? (
        <h1 className="hidden-text">{t('order.title')}</h1>
      ) : (
        <h1 className={styles.title}>{t('order.title')}</h1>
      )}
      {failed && <CouldNotLoad onRetry={load} />}
      {!failed && form === undefined && (
        <div className={styles.skeleton} role="status" aria-label={t('list.loading')} />
      )}
      {form === null && <Nothing />}
      {form && wish && ('choice' in form ? <OrderForm wish={wish} {...form} /> : <Change {...form} />)}
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

/** Leads to the membership, which then names the plan that follows; in a frame the page around it goes there. */
function Change(change: PlanChange) {
  const planned = () => (isFramed() ? parent : window).location.assign(paths.my.to())
  return wish && <ChangePlan {...change} way={{ id: wish.gateway, kind: wish.method }} onPlanned={planned} />
}

interface LoadedForm {
  choice: Choice
  Card: CardFields | null
}

/** The card's fields are fetched meanwhile, as most come to pay. */
async function loadForm(t: TFunction, wanted: Wish): Promise<LoadedForm | PlanChange | null> {
  const [wished, Card] = await Promise.all([loadWish(t, wanted), loadCardFields(wanted)])
  return wished && 'plan' in wished ? wished : wished && { choice: wished, Card }
}

/** What the form needs; null where there is nothing to pay. */
function useForm() {
  const { t } = useTranslation()
  const [form, setForm] = useState<LoadedForm | PlanChange | null | undefined>(wish ? undefined : null)
  const [failed, setFailed] = useState(false)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (!wish) return
    setFailed(false)
    loadForm(t, wish).then(setForm, () => setFailed(true))
  }, [t, tries])
  return { form, failed, load: () => setTries((count) => count + 1) }
}
