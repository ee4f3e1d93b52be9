import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { removeSavedPaymentMethod } from '#contract/billing.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { methodName } from './method-copy.ts'
import { savedMethodQuery } from '#web/features/billing/payments/queries.ts'
import styles from './subscription.module.css'

interface SavedCardProps {
  userId: string
  renderSection: (card: ReactNode) => ReactNode
}

/** The card saved for purchases, with a button that removes it. Shows nothing if no card is saved. */
export function SavedCard({ userId, renderSection }: SavedCardProps) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const query = savedMethodQuery(userId)
  const { data, isPending } = useQuery(query)
  const [busy, setBusy] = useState(false)
  const saved = data?.saved_method
  if (!saved) return <span hidden aria-busy={isPending} />
  const remove = async () => {
    setBusy(true)
    try {
      const updated = await call(removeSavedPaymentMethod, { body: { id: saved.id } })
      queryClient.setQueryData(query.queryKey, updated)
      // If another card was saved in the meantime, the response contains that card.
      if (updated.saved_method === null) notify(t('savedCard.removed'))
    } catch {
      // A toast has shown the error.
    } finally {
      setBusy(false)
    }
  }
  const name = methodName(t, { method: saved })
  return renderSection(
    <div className={styles.subscription}>
      <div>
        <h3>{saved.expired ? t('savedCard.expired', { card: name }) : name}</h3>
        <p>{t('savedCard.text')}</p>
      </div>
      <Button
        variant="quiet"
        disabled={busy}
        aria-label={t('savedCard.removeOne', { card: name })}
        onClick={() => void remove()}
      >
        {t('savedCard.remove')}
      </Button>
    </div>,
  )
}
