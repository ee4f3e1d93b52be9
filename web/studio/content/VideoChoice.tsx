import { useQuery } from '@tanstack/react-query'
import { listTags } from '#contract/catalog.ts'
import { call } from '#web/lib/api.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Choice } from '#web/studio/ui/Choice.tsx'
import { useSettled } from '#web/studio/ui/use-settled.ts'

/** Select of videos whose titles match the search; `none` is the label while none is chosen. */
export function VideoChoice({
  keyword,
  value,
  label,
  none,
  hint,
  onChoose,
}: {
  keyword: string
  value: string
  label: string
  none: string
  hint?: string
  onChoose: (id: string) => void
}) {
  const { language } = useTexts()
  const asked = useSettled(keyword)
  const found = useQuery({
    queryKey: ['titles', asked, language],
    queryFn: ({ signal }) => call(listTags, { query: { keyword: asked }, signal }),
    enabled: asked !== '',
  })
  // No video is chosen from a list that is about to be replaced.
  const titles = asked === keyword ? (found.data?.titles ?? []) : []
  const chosen = titles.some(({ id }) => id === value) ? value : ''
  return (
    <Choice
      label={label}
      value={chosen}
      options={[{ value: '', label: none }, ...titles.map(({ id, title }) => ({ value: id, label: title }))]}
      {...(hint === undefined ? {} : { hint })}
      onChoose={onChoose}
    />
  )
}
