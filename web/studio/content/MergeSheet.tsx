import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { mergeCategory, mergeTag, type DeskLabel } from '#contract/studio/labels.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { Choice } from '#web/studio/ui/Choice.tsx'
import { nameIn } from '#web/studio/words.ts'
import type { LabelProps } from './LabelActions.tsx'
import { categoriesQuery, tagsQuery } from './queries.ts'
import { SearchField } from './SearchField.tsx'
import styles from './content.module.css'

/** Chooses what a tag or category is merged into, and does it. */
export function MergeSheet({ kind, label, onClose }: LabelProps & { onClose: () => void }) {
  const { t, language } = useTexts()
  const { run, busy } = useCommand(kind === 'tag' ? mergeTag : mergeCategory)
  const [keyword, setKeyword] = useState('')
  const [chosen, setChosen] = useState('')
  const others = useLabels(kind, keyword).filter(({ id }) => id !== label.id)
  const into = others.find(({ id }) => id === chosen) ?? others[0]
  const nameOf = ({ names }: DeskLabel) => nameIn(names, language)
  const merge = async (other: DeskLabel) => {
    const answer = await run({ id: label.id, into: other.id })
    if (answer) notify(t(answer.done ? 'labels.merged' : 'labels.mergeFollows'))
    onClose()
  }
  return (
    <Sheet title={t('labels.mergeOf', { name: nameOf(label) })} onClose={onClose}>
      <div className={styles.stack}>
        <p>{t('labels.mergeText', { name: nameOf(label) })}</p>
        {kind === 'tag' && (
          <search>
            <SearchField label={t('labels.mergeFind')} value={keyword} onSearch={setKeyword} />
          </search>
        )}
        {into ? (
          <>
            <Choice
              label={t('labels.mergeChoice')}
              value={into.id}
              options={others.map((other) => ({ value: other.id, label: nameOf(other) }))}
              onChoose={setChosen}
            />
            <Button look="danger" disabled={busy} onClick={() => void merge(into)}>
              {t('labels.mergeInto', { name: nameOf(into) })}
            </Button>
          </>
        ) : (
          <p className={styles.quiet}>{t('labels.noOther')}</p>
        )}
      </div>
    </Sheet>
  )
}

/** All categories, or the most used of the tags that are called so. */
function useLabels(kind: LabelProps['kind'], keyword: string): DeskLabel[] {
  const categories = useQuery({ ...categoriesQuery, enabled: kind === 'category' })
  const tags = useInfiniteQuery({ ...tagsQuery(keyword), enabled: kind === 'tag' })
  return kind === 'category'
    ? (categories.data?.list ?? [])
    : (tags.data?.pages.flatMap(({ list }) => list) ?? [])
}
