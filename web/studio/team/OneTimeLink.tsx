import type { ResultOf } from '#contract/endpoint.ts'
import type { addOperator } from '#contract/studio/operators.ts'
import { copyText } from '#web/features/media/share.ts'
import { Button } from '#web/ui/Button.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { formatTime } from '#web/studio/format.ts'
import styles from './team.module.css'

export type Invited = ResultOf<typeof addOperator>

/** Shows a one-time link, which cannot be shown again. The operator sends it to the invited person. */
export function OneTimeLink({ invited, onClose }: { invited: Invited; onClose: () => void }) {
  const { t, language } = useTexts()
  const until = formatTime(invited.expires_at, language)
  return (
    <Sheet title={t('team.linkTitle')} onClose={onClose}>
      <div className={styles.link}>
        <p>{t('team.linkText', { email: invited.operator.email, until })}</p>
        <code>{invited.link}</code>
        <Button onClick={() => void copyText(invited.link)}>{t('team.copy')}</Button>
      </div>
    </Sheet>
  )
}
