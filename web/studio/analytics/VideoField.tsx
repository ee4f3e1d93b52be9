import type { ComponentProps } from 'react'
import { Field } from '#web/ui/forms/Field.tsx'
import { VideoChoice } from '#web/studio/content/VideoChoice.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { parseEpisodeAddress } from './parse-episode-address.ts'

/** Chooses a video: the operator types a part of the title and selects a match, or pastes a URL or id. */
export function VideoField({
  chosen,
  onChoose,
  ...field
}: Omit<ComponentProps<typeof Field>, 'autoComplete'> & { chosen: string; onChoose: (id: string) => void }) {
  const { t } = useTexts()
  const typed = field.value.trim()
  return (
    <>
      <Field {...field} autoComplete="off" />
      {typed !== '' && !parseEpisodeAddress(typed) && (
        <VideoChoice
          keyword={typed}
          value={chosen}
          label={t('analytics.chooseVideo')}
          none={t('analytics.choosePlaceholder')}
          onChoose={onChoose}
        />
      )}
    </>
  )
}
