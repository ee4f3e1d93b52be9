import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { mergeCategory, mergeTag, type StudioLabel } from '#contract/studio/labels.ts'
import { notify } from '#web/lib/notify.ts'
import { Sheet } from '#web/ui/Sheet.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import { SheetActions } from '#web/studio/ui/sheets/SheetActions.tsx'
import { localizedName } from '#web/studio/format.ts'
import type { LabelProps } from './label-props.ts'
import { categoriesQuery, isEditable, tagsQuery } from '#web/studio/content/queries.ts'
import { SearchField } from '#web/studio/content/SearchField.tsx'
import styles from '#web/studio/content/content.module.css'

/** Merges a tag or category into another one. */
export function MergeSheet({ kind, label, onClose }: LabelProps & { onClose: () => void }) {
  const { t, language } = useTexts()
  const { run, busy } = useCommand(kind === 'tag' ? mergeTag : mergeCategory, null)
  const [keyword, setKeyword] = useState('')
  const [chosen, setChosen] = useState('')
  const { found, isAnswered } = useLabels(kind, keyword)
  const others = found.filter(({ id }) => id !== label.id)
  // The default is chosen once per search: a refetch may reorder the list while the operator reads the button.
  if (chosen === '' && isAnswered && others[0]) setChosen(others[0].id)
  const targetLabel = others.find(({ id }) => id === chosen)
  const search = (text: string) => {
    setKeyword(text)
    setChosen('')
  }
  const nameOf = ({ names }: StudioLabel) => localizedName(names, language)
  const merge = async (other: StudioLabel) => {
    const answer = await run({ id: label.id, into: other.id })
    if (answer) notify(t(answer.done ? 'labels.merged' : 'labels.mergeInProgress'))
    onClose()
  }
  return (
    <Sheet title={t('labels.mergeOf', { name: nameOf(label) })} onClose={onClose}>
      <div className={styles.stack}>
        <p>{t('labels.mergeText', { name: nameOf(label) })}</p>
        {kind === 'tag' && (
          <search>
            <SearchField label={t('labels.mergeSearch')} value={keyword} onSearch={search} />
          </search>
        )}
        {targetLabel ? (
          <>
            <SelectField
              label={t('labels.mergeChoice')}
              value={targetLabel.id}
              options={others.map((other) => ({ value: other.id, label: nameOf(other) }))}
              onChoose={setChosen}
            />
            <SheetActions
              action={t('labels.mergeInto', { name: nameOf(targetLabel) })}
              look="danger"
              busy={busy}
              onConfirm={() => void merge(targetLabel)}
              onCancel={onClose}
            />
          </>
        ) : (
          isAnswered && <p className={styles.quiet}>{t('labels.noOtherLabel')}</p>
        )}
      </div>
    </Sheet>
  )
}

/**
 * Returns all categories, or the most used tags that match the keyword. Labels that are being merged or deleted are
 * omitted.
 */
function useLabels(kind: LabelProps['kind'], keyword: string): { found: StudioLabel[]; isAnswered: boolean } {
  const categories = useQuery({ ...categoriesQuery, enabled: kind === 'category' })
  const tags = useInfiniteQuery({
    ...tagsQuery(keyword),
    enabled: kind === 'tag',
    placeholderData: keepPreviousData,
    meta: { toastOnly: true },
  })
  if (kind === 'category')
    return { found: categories.data?.list.filter(isEditable) ?? [], isAnswered: categories.isSuccess }
  const staying = tags.data?.pages.flatMap(({ list }) => list.filter(isEditable))
  return { found: staying ?? [], isAnswered: tags.isSuccess && !tags.isPlaceholderData }
}
