import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { userQuery } from '#web/features/members/queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { sendEvent } from '#web/lib/tracking/events.ts'
import { paths } from '#web/lib/paths.ts'
import { ControlButton } from '#web/player/ui/Controls.tsx'
import { canUseSystemShare, shareUrl } from './share.ts'

const ShareSheet = lazy(async () => ({ default: (await import('./ShareSheet.tsx')).ShareSheet }))

interface ShareButtonProps {
  videoId: string
  title: string
  episode: number
}

/** Shares the episode with the system's share sheet on phones and tablets, else with the site's own sheet. */
export function ShareButton({ videoId, title, episode }: ShareButtonProps) {
  const { t } = useTranslation()
  const code = useQuery(userQuery).data?.referral_code
  const [open, setOpen] = useState(false)
  const url = shareUrl(paths.video.to(videoId, episode), code)
  const share = () => {
    sendEvent('share', { video_id: videoId })
    if (canUseSystemShare()) navigator.share({ title, url }).catch(() => {})
    else setOpen(true)
  }
  return (
    <>
      <ControlButton icon="share" label={t('video.share')} note={t('video.share')} onClick={share} />
      {open && (
        <Suspense>
          <ShareSheet title={title} url={url} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
