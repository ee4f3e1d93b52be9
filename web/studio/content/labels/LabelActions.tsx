import { useState } from 'react'
import { deleteCategory, deleteTag } from '#contract/studio/labels.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { ConfirmSheet } from '#web/studio/ui/sheets/ConfirmSheet.tsx'
import { localizedName } from '#web/studio/format.ts'
import type { LabelProps } from './label-props.ts'
import { MergeSheet } from './MergeSheet.tsx'
import { RenameSheet } from './RenameSheet.tsx'
import styles from '#web/studio/content/content.module.css'

/** The actions for a tag or category: rename it, merge it into another, or delete it. */
export function LabelActions({ kind, label }: LabelProps) {
  const { t, language } = useTexts()
  const { run, busy } = useCommand(kind === 'tag' ? deleteTag : deleteCategory, null)
  const [openSheet, setOpenSheet] = useState<'rename' | 'merge' | 'delete' | null>(null)
  const name = localizedName(label.names, language)
  const close = () => setOpenSheet(null)
  const remove = async () => {
    const answer = await run({ id: label.id })
    if (answer) notify(t(answer.deleted ? 'labels.deleted' : 'labels.deleteInProgress'))
    close()
  }
  return (
    <div className={styles.actions}>
      {(['rename', 'merge', 'delete'] as const).map((labelAction) => (
        <Button key={labelAction} variant="quiet" onClick={() => setOpenSheet(labelAction)}>
          {t(`labels.${labelAction}`)}
          <span className="hidden-text"> {name}</span>
        </Button>
      ))}
      {openSheet === 'rename' && <RenameSheet kind={kind} label={label} onClose={close} />}
      {openSheet === 'merge' && <MergeSheet kind={kind} label={label} onClose={close} />}
      {openSheet === 'delete' && (
        <ConfirmSheet
          title={t('labels.deleteOf', { name })}
          text={t('labels.deleteText')}
          action={t('labels.delete')}
          busy={busy}
          onConfirm={() => void remove()}
          onClose={close}
        />
      )}
    </div>
  )
}
