import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { iconPath, removeIcon, showIcon, type SiteIcon } from '#contract/studio/site-icon.ts'
import { call } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { uploadImage } from '#web/studio/upload-image.ts'
import { useTexts } from '#web/studio/texts.ts'
import { ImageFileButton } from '#web/studio/ui/ImageFileButton.tsx'
import { useCommand } from '#web/studio/use-command.ts'
import styles from './homepage.module.css'

const queryKey = ['site-icon']

/** Replaces the site's icon, which is shown in browser tabs, on home screens and in the site's header. */
export function SiteIconTab() {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const [isSending, setSending] = useState(false)
  const resetIcon = useCommand(removeIcon, t('homepage.iconSaved'))
  const icon = useQuery({ queryKey, queryFn: ({ signal }) => call(showIcon, { signal }) })
  const uploadIcon = async (file: File) => {
    setSending(true)
    const answer = await uploadImage<SiteIcon>(iconPath, file)
    setSending(false)
    if (answer.info) queryClient.setQueryData(queryKey, answer.info)
    notify(answer.info ? t('homepage.iconSaved') : answer.message || t('homepage.iconUploadFailed'))
  }
  if (icon.isLoadingError) return <LoadError onRetry={() => void icon.refetch()} />
  if (!icon.data) return <div className={styles.wait} aria-busy="true" />
  const busy = isSending || resetIcon.busy
  return (
    <div className={styles.icon}>
      <img src={icon.data.address} alt={t('homepage.iconCurrent')} width={96} height={96} />
      <div className={styles.writing}>
        <p>{t('homepage.iconText')}</p>
        <p className={styles.note}>{t(icon.data.custom ? 'homepage.iconCustom' : 'homepage.iconDefault')}</p>
        <div className={styles.actions}>
          <ImageFileButton
            label={t('homepage.iconChoose')}
            accept="image/png,image/jpeg,image/webp"
            disabled={busy}
            onChoose={(file) => void uploadIcon(file)}
          />
          {icon.data.custom && (
            <Button variant="quiet" disabled={busy} onClick={() => void resetIcon.run({})}>
              {t('homepage.iconReset')}
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}
