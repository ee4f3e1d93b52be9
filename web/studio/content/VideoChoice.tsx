import { useQuery } from '@tanstack/react-query'
import { listTags } from '#contract/catalog.ts'
import { call } from '#web/lib/api.ts'
import { useTexts } from '#web/studio/texts.ts'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import { useDebounced } from '#web/studio/ui/use-debounced.ts'

/** A select with the videos whose titles match the search. `none` is the label of the empty choice. */
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
  const debouncedKeyword = useDebounced(keyword)
  const found = useQuery({
    queryKey: ['titles', debouncedKeyword, language],
    queryFn: ({ signal }) => call(listTags, { query: { keyword: debouncedKeyword }, signal }),
    enabled: debouncedKeyword !== '',
    meta: { toastOnly: true },
  })
  // While a new search is pending, nothing can be chosen from the old results.
  const titles = debouncedKeyword === keyword ? (found.data?.titles ?? []) : []
  const chosen = titles.some(({ id }) => id === value) ? value : ''
  return (
    <SelectField
      label={label}
      value={chosen}
      options={[{ value: '', label: none }, ...titles.map(({ id, title }) => ({ value: id, label: title }))]}
      {...(hint === undefined ? {} : { hint })}
      onChoose={onChoose}
    />
  )
}
