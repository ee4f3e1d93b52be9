import { useState } from 'react'
import {
  archiveVideo,
  publishVideo,
  scheduleVideo,
  unscheduleVideo,
  type StudioVideo,
} from '#contract/studio/videos.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { call } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useTexts } from '#web/studio/texts.ts'
import { FormSheet } from '#web/studio/ui/sheets/FormSheet.tsx'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'
import { ConfirmSheet } from '#web/studio/ui/sheets/ConfirmSheet.tsx'
import { useCommand } from '#web/studio/use-command.ts'

const browserTimeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** The actions that change a video's publication state, such as publishing and archiving. */
export function StateActions({ video }: { video: StudioVideo }) {
  const { t } = useTexts()
  const { id, state, episode_count } = video
  const publish = useCommand(publishVideo, t('done.published'))
  const unschedule = useCommand(unscheduleVideo, t('done.unscheduled'))
  const archive = useCommand(archiveVideo, t('done.archived'))
  const [openSheet, setOpenSheet] = useState<'schedule' | 'archive' | null>(null)
  const isEarly = state === 'draft' || state === 'scheduled'
  return (
    <>
      {state !== 'published' && (
        <Button
          variant={episode_count === 0 ? 'quiet' : 'main'}
          disabled={publish.busy}
          onClick={() => void publish.run({ id })}
        >
          {t(state === 'archived' ? 'content.publishAgain' : 'content.publish')}
        </Button>
      )}
      {isEarly && (
        <Button variant="quiet" onClick={() => setOpenSheet('schedule')}>
          {t(state === 'draft' ? 'content.schedule' : 'content.reschedule')}
        </Button>
      )}
      {state === 'scheduled' && (
        <Button variant="quiet" disabled={unschedule.busy} onClick={() => void unschedule.run({ id })}>
          {t('content.unschedule')}
        </Button>
      )}
      {state === 'published' && (
        <Button variant="quiet" onClick={() => setOpenSheet('archive')}>
          {t('content.archive')}
        </Button>
      )}
      {openSheet === 'schedule' && <ScheduleSheet video={video} onClose={() => setOpenSheet(null)} />}
      {openSheet === 'archive' && (
        <ConfirmSheet
          title={t('content.archiveTitle')}
          text={t('content.archiveText')}
          action={t('content.archive')}
          busy={archive.busy}
          onConfirm={() => void archive.run({ id }).then(() => setOpenSheet(null))}
          onClose={() => setOpenSheet(null)}
        />
      )}
    </>
  )
}

function ScheduleSheet({
  video: { id, state, released_at },
  onClose,
}: {
  video: StudioVideo
  onClose: () => void
}) {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const form = useGuardedForm({
    initial: { at: state === 'scheduled' && released_at ? toDatetimeLocal(released_at) : '' },
    validate: ({ at }) => (Number.isNaN(Date.parse(at)) ? { at: t('content.publishDateMissing') } : {}),
    send: async ({ at }) => {
      await call(scheduleVideo, { body: { id, at: new Date(at).toISOString() } })
      void queryClient.invalidateQueries({ queryKey: ['video', id] })
      notify(t('done.scheduled'))
      onClose()
    },
  })
  return (
    <FormSheet title={t('content.schedule')} form={form} action={t('content.schedule')} onClose={onClose}>
      <Field
        {...form.field('at')}
        label={t('content.publishDate')}
        hint={t('content.publishDateHint', { zone: browserTimeZone })}
        type="datetime-local"
        autoComplete="off"
        autoFocus
      />
    </FormSheet>
  )
}

/** Formats a time as the value of a `datetime-local` field, in the browser's time zone. */
function toDatetimeLocal(moment: string): string {
  const at = new Date(moment)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
