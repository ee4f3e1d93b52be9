import { useState } from 'react'
import { deleteCategory, deleteTag } from '#contract/studio/labels.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { AskFirst } from '#web/studio/ui/sheets/AskFirst.tsx'
import { nameIn } from '#web/studio/format.ts'
import type { LabelProps } from './label-props.ts'
import { MergeSheet } from './MergeSheet.tsx'
import { RenameSheet } from './RenameSheet.tsx'
import styles from '#web/studio/content/content.module.css'

/** Renames a tag or category, merges it into another, or deletes it. */
export function LabelActions({ kind, label }: LabelProps) {
  const { t, language } = useTexts()
  const { run, busy } = useCommand(kind === 'tag' ? deleteTag : deleteCategory, null)
  const [asked, setAsked] = useState<'rename' | 'merge' | 'delete' | null>(null)
  const name = nameIn(label.names, language)
  const close = () => setAsked(null)
  const remove = async () => {
    const answer = await run({ id: label.id })
    if (answer) notify(t(answer.deleted ? 'labels.deleted' : 'labels.deleteFollows'))
    close()
  }
  return (
    <div className={styles.actions}>
      {(['rename', 'merge', 'delete'] as const).map((deed) => (
        <Button key={deed} look="quiet" onClick={() => setAsked(deed)}>
          {t(`labels.${deed}`)}
          <span className="hidden-text"> {name}</span>
        </Button>
      ))}
      {asked === 'rename' && <RenameSheet kind={kind} label={label} onClose={close} />}
      {asked === 'merge' && <MergeSheet kind={kind} label={label} onClose={close} />}
      {asked === 'delete' && (
        <AskFirst
          title={t('labels.deleteOf', { name })}
          text={t('labels.deleteText')}
          action={t('labels.delete')}
          busy={busy}
          onDo={() => void remove()}
          onClose={close}
        />
      )}
    </div>
  )
}
