import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { languages, type Language } from '#contract/languages.ts'
import {
  editEpisode,
  removeEpisode,
  retryEpisode,
  videoLimits,
  type StudioEpisode,
} from '#contract/studio/videos.ts'
import { call } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { languageNames } from '#web/lib/language.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { FormSheet } from '#web/studio/ui/sheets/FormSheet.tsx'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'
import { ConfirmSheet } from '#web/studio/ui/sheets/ConfirmSheet.tsx'
import { useCommand } from '#web/studio/use-command.ts'
import { episodeName } from './episode-name.ts'
import { formatTimeLeft } from '#web/studio/content/uploads/format-time-left.ts'
import { useSecondsLeft } from './use-seconds-left.ts'
import styles from '#web/studio/content/content.module.css'

/** One episode: number, title, the state of its file, and actions. */
export function EpisodeRow({
  episode,
  at,
  isFree,
}: {
  episode: StudioEpisode
  /** When this state was fetched, in milliseconds since 1970. */
  at: number
  isFree: boolean
}) {
  const { t, language } = useTexts()
  const { number } = episode
  return (
    <div className={styles.episode}>
      <span className={styles.number}>{number}</span>
      <span className={styles.thumb}>{episode.thumb_url && <img src={episode.thumb_url} alt="" />}</span>
      <div className={styles.about}>
        <strong>{episodeName(episode, language, t)}</strong>
        <p>
          {t(isFree ? 'content.isFree' : 'content.isLocked')} · <EpisodeState episode={episode} at={at} />
          {episode.captions.length > 0 &&
            ` · ${t('content.captionsIn', { languages: episode.captions.map((each) => languageNames[each]).join(', ') })}`}
        </p>
        {episode.reason !== null && <p className={styles.bad}>{episode.reason}</p>}
        {episode.notes.map((note) => (
          <p key={note}>{note}</p>
        ))}
      </div>
      <div className={styles.rowActions}>
        <EpisodeActions episode={episode} />
      </div>
    </div>
  )
}

function EpisodeState({
  episode: { state, playable, progress },
  at,
}: {
  episode: StudioEpisode
  at: number
}) {
  const { t } = useTexts()
  if (state === 'processing') return <ConversionProgress progress={progress} at={at} />
  const stateText = t(`content.episodeStates.${state}`, { percent: progress })
  return <>{playable && state !== 'ready' ? `${stateText} ${t('content.previousFilePlays')}` : stateText}</>
}

/** The progress in percent that is needed to estimate the speed. */
const minimumProgress = 10

function ConversionProgress({ progress, at }: { progress: number; at: number }) {
  const { t } = useTexts()
  const stateText = t('content.episodeStates.processing', { percent: progress })
  const seconds = useSecondsLeft({ done: progress, open: 100 - progress, at }, minimumProgress)
  return (
    <>
      {stateText} <progress className={styles.bar} max={100} value={progress} aria-label={stateText} />
      {seconds !== undefined && ` ${formatTimeLeft(seconds, t)}`}
    </>
  )
}

/** The actions for an episode: edit its titles, retry a failed file, or remove an episode whose file is not ready. */
function EpisodeActions({ episode }: { episode: StudioEpisode }) {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  const retry = useCommand(retryEpisode, t('done.retried'))
  const remove = useCommand(removeEpisode, t('done.episodeRemoved'))
  const [open, setOpen] = useState<'titles' | 'remove' | null>(null)
  const { id, number, state, playable } = episode
  if (!isAllowed(editEpisode)) return null
  return (
    <>
      {state === 'failed' && (
        <Button variant="quiet" disabled={retry.busy} onClick={() => void retry.run({ id })}>
          {t('content.retry')}
          <span className="hidden-text"> {t('content.episodeNumber', { number })}</span>
        </Button>
      )}
      {(state === 'failed' || !playable) && (
        <Button variant="quiet" onClick={() => setOpen('remove')}>
          {t('content.removeEpisode')}
          <span className="hidden-text"> {t('content.episodeNumber', { number })}</span>
        </Button>
      )}
      <Button
        variant="quiet"
        aria-label={t('content.editTitlesOf', { number })}
        onClick={() => setOpen('titles')}
      >
        {t('content.editTitles')}
      </Button>
      {open === 'titles' && <TitlesSheet episode={episode} onClose={() => setOpen(null)} />}
      {open === 'remove' && (
        <ConfirmSheet
          title={t('content.removeEpisodeTitle', { number })}
          text={t('content.removeEpisodeText')}
          action={t('content.removeEpisode')}
          busy={remove.busy}
          onConfirm={() => void remove.run({ id }).then(() => setOpen(null))}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  )
}

function TitlesSheet({
  episode: { id, number, titles },
  onClose,
}: {
  episode: StudioEpisode
  onClose: () => void
}) {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const form = useGuardedForm<Language>({
    initial: { en: '', es: '', fy: '', dy: '', pt: '', ...titles },
    validate: (value) =>
      Object.fromEntries(
        languages
          .filter((language) => value[language].trim().length > videoLimits.title)
          .map((language) => [language, t('content.tooLong', { max: videoLimits.title })]),
      ),
    send: async (value) => {
      await call(editEpisode, { body: { id, titles: value } })
      void queryClient.invalidateQueries({ queryKey: ['episodes'] })
      notify(t('content.saved'))
      onClose()
    },
  })
  return (
    <FormSheet
      title={t('content.editTitlesOf', { number })}
      form={form}
      action={t('content.save')}
      onClose={onClose}
    >
      {languages.map((language) => (
        <Field
          key={language}
          {...form.field(language)}
          label={t('content.titleIn', { language: languageNames[language] })}
          autoComplete="off"
          autoFocus={language === 'en'}
          required={false}
        />
      ))}
    </FormSheet>
  )
}
