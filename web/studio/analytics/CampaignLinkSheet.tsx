import type { CampaignLink } from '#contract/studio/campaign-links.ts'
import { copyText } from '#web/features/media/share.ts'
import { QrCode } from '#web/features/members/settings/QrCode.tsx'
import { Button } from '#web/ui/Button.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { useTexts } from '#web/studio/texts.ts'
import styles from './analytics.module.css'

/** A campaign link as text to copy and as a QR code. */
export function CampaignLinkSheet({
  link: { name, url },
  onClose,
}: {
  link: CampaignLink
  onClose: () => void
}) {
  const { t } = useTexts()
  return (
    <Sheet title={name} onClose={onClose}>
      <div className={styles.link}>
        <QrCode text={url} label={t('analytics.qrLabel', { name })} />
        <code>{url}</code>
        <Button onClick={() => void copyText(url)}>{t('analytics.copyLink')}</Button>
      </div>
    </Sheet>
  )
}
