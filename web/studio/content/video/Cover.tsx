import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { editVideo, removeCover, type StudioVideo } from '#contract/studio/videos.ts'
import { languageNames } from '#web/lib/language.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import { SheetActions } from '#web/studio/ui/sheets/SheetActions.tsx'
import { ImageFileButton } from '#web/studio/ui/ImageFileButton.tsx'
import { CropSheet, type Picture } from './CropSheet.tsx'
import { StudioPlayer } from './StudioPlayer.tsx'
import { episodeName } from './episode-name.ts'
import { episodesQuery } from '#web/studio/content/queries.ts'
import styles from '#web/studio/content/content.module.css'

/** The current cover, and two ways to replace it: an uploaded image or a frame of an episode, both cropped. */
export function Cover({ video }: { video: StudioVideo }) {
  const { id, titles, cover_url, cover_color } = video
  const { t } = useTexts()
  const mayEdit = usePermissions()(editVideo)
  const [picture, setPicture] = useState<Picture | null>(null)
  const [isPicking, setPicking] = useState(false)
  const open = (file: Blob) =>
    void createImageBitmap(file)
      .then(setPicture)
      .catch(() => notify(t('content.imageInvalid')))
  return (
    <div className={styles.coverRow}>
      <div className={styles.cover} style={{ background: cover_color }}>
        {cover_url && <img src={cover_url} alt={t('content.coverOf', { title: titles.en ?? '' })} />}
      </div>
      {mayEdit && (
        <div className={styles.stack}>
          <p className={styles.quiet}>
            {t('content.coverText')} {!cover_url && t('content.coverAutomatic')}
          </p>
          <div className={styles.actions}>
            <ImageFileButton
              label={t('content.chooseImage')}
              accept="image/jpeg,image/png,image/webp,image/avif"
              variant="quiet"
              onChoose={open}
            />
            <Button variant="quiet" onClick={() => setPicking(true)}>
              {t('content.chooseFrame')}
            </Button>
          </div>
          <LanguageCovers video={video} />
        </div>
      )}
      {isPicking && (
        <FrameSheet
          videoId={id}
          onClose={() => setPicking(false)}
          onFrame={(frame) => {
            setPicking(false)
            setPicture(frame)
          }}
        />
      )}
      {picture && <CropSheet videoId={id} picture={picture} onClose={() => setPicture(null)} />}
    </div>
  )
}

/** The covers by language. If a viewer's language has a cover, the viewer sees it instead of the default cover. */
function LanguageCovers({ video: { id, language_covers } }: { video: StudioVideo }) {
  const { t } = useTexts()
  const { run: remove, busy } = useCommand(removeCover, t('content.saved'))
  if (language_covers.length === 0) return null
  return (
    <ul className={styles.languageCovers} aria-label={t('content.coversByLanguage')}>
      {language_covers.map(({ language, url }) => {
        const name = languageNames[language]
        return (
          <li key={language}>
            <img src={url} alt={t('content.coverIn', { language: name })} width={72} height={96} />
            <Button
              variant="quiet"
              disabled={busy}
              aria-label={t('content.removeCoverIn', { language: name })}
              onClick={() => void remove({ id, language })}
            >
              {t('content.removeCover')}
            </Button>
          </li>
        )
      })}
    </ul>
  )
}

/** Chooses a frame of a playable episode at any position. */
function FrameSheet({
  videoId,
  onClose,
  onFrame,
}: {
  videoId: string
  onClose: () => void
  onFrame: (frame: Picture) => void
}) {
  const { t, language } = useTexts()
  const [chosen, setChosen] = useState('')
  const [video, setVideo] = useState<HTMLVideoElement | null>(null)
  const episodes = useQuery(episodesQuery(videoId, false))
  const playable = episodes.data?.list.filter((episode) => episode.playable) ?? []
  const episodeId = chosen || (playable[0]?.id ?? '')
  const captureFrame = () => {
    if (video && video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) onFrame(frameOf(video))
    else notify(t('content.frameLoading'))
  }
  return (
    <Sheet title={t('content.chooseFrame')} onClose={onClose} tall>
      <div className={styles.sheet}>
        {episodes.isLoadingError && <LoadError onRetry={() => void episodes.refetch()} />}
        {episodes.isPending && <div className={styles.player} aria-busy="true" />}
        {episodes.data && playable.length === 0 && <p>{t('content.noPlayableEpisode')}</p>}
        {episodeId && (
          <>
            <SelectField
              label={t('content.episode')}
              value={episodeId}
              options={playable.map((each) => ({ value: each.id, label: episodeName(each, language, t) }))}
              onChoose={setChosen}
            />
            <StudioPlayer
              key={episodeId}
              episodeId={episodeId}
              name={t('content.episode')}
              onVideo={setVideo}
            />
            <SheetActions
              action={t('content.useFrame')}
              busy={false}
              onConfirm={captureFrame}
              onCancel={onClose}
            />
          </>
        )}
      </div>
    </Sheet>
  )
}

/** Returns the current frame of a video element. */
function frameOf(video: HTMLVideoElement): Picture {
  const frame = document.createElement('canvas')
  frame.width = video.videoWidth
  frame.height = video.videoHeight
  frame.getContext('2d')?.drawImage(video, 0, 0)
  return frame
}
