import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { iconPath, removeIcon, showIcon, type SiteIcon } from '#contract/studio/icon.ts'
import { acceptLanguage, currentLanguage } from '#web/lib/language.ts'
import { call } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import styles from './homepage.module.css'

const queryKey = ['site-icon']

/** The site's icon, and the way to another: browsers' tabs, home screens and the header show it. */
export function SiteIconTab() {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const [isSending, setSending] = useState(false)
  const goBack = useCommand(removeIcon)
  const icon = useQuery({ queryKey, queryFn: ({ signal }) => call(showIcon, { signal }) })
  const bringIn = async (file: File) => {
    setSending(true)
    const answer = await send(file)
    setSending(false)
    if (answer.info) queryClient.setQueryData(queryKey, answer.info)
    notify(answer.info ? t('homepage.iconSaved') : (answer.message ?? t('homepage.iconNotSent')))
  }
  if (icon.isError) return <CouldNotLoad onRetry={() => void icon.refetch()} />
  if (!icon.data) return <div className={styles.wait} aria-busy="true" />
  const busy = isSending || goBack.busy
  return (
    <div className={styles.icon}>
      <img src={icon.data.address} alt={t('homepage.iconNow')} width={96} height={96} />
      <div className={styles.writing}>
        <p>{t('homepage.iconText')}</p>
        <p className={styles.note}>{t(icon.data.own ? 'homepage.iconOwn' : 'homepage.iconUsual')}</p>
        <div className={styles.actions}>
          <Button disabled={busy} onClick={() => input.current?.click()}>
            {t('homepage.iconChoose')}
          </Button>
          {icon.data.own && (
            <Button look="quiet" disabled={busy} onClick={() => void goBack.run({})}>
              {t('homepage.iconBack')}
            </Button>
          )}
        </div>
        <input
          ref={input}
          hidden
          type="file"
          accept="image/png,image/jpeg,image/webp"
          onChange={({ target }) => {
            const [file] = target.files ?? []
            if (file) void bringIn(file)
            target.value = ''
          }}
        />
      </div>
    </div>
  )
}

async function send(file: File): Promise<{ info?: SiteIcon; message?: string }> {
  const headers = {
    'content-type': 'application/octet-stream',
    'accept-language': acceptLanguage(currentLanguage()),
  }
  try {
    const response = await fetch(iconPath, { method: 'POST', headers, body: file })
    const answer = (await response.json()) as { code: number; info?: SiteIcon; message: string }
    return answer.code === 200 && answer.info ? { info: answer.info } : { message: answer.message }
  } catch {
    return {}
  }
}
