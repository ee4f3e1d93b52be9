import { useState, type FormEvent, type ReactNode } from 'react'
import { Sheet } from '#web/ui/Sheet.tsx'
import { ConfirmLeave } from '#web/studio/ui/unsaved/LeaveGuard.tsx'
import { SheetActions } from './SheetActions.tsx'
import styles from '#web/studio/ui/page.module.css'

/** A sheet with a guarded form and its buttons. If there is unsaved input, the sheet asks before it closes. */
export function FormSheet({
  title,
  form,
  action,
  look = 'main',
  onClose,
  children,
}: {
  title: string
  /** The result of `useGuardedForm`. */
  form: { submit: (event: FormEvent) => void; isUnsaved: boolean; busy: boolean }
  /** The label of the submit button, a verb. */
  action: string
  look?: 'main' | 'danger'
  onClose: () => void
  children: ReactNode
}) {
  const [isConfirming, setConfirming] = useState(false)
  const mayClose = () => {
    setConfirming(form.isUnsaved)
    return !form.isUnsaved
  }
  return (
    <>
      <Sheet title={title} mayClose={mayClose} onClose={onClose}>
        <form className={styles.panel} onSubmit={form.submit} noValidate>
          {children}
          <SheetActions
            action={action}
            look={look}
            busy={form.busy}
            onCancel={() => mayClose() && onClose()}
          />
        </form>
      </Sheet>
      {isConfirming && <ConfirmLeave onLeave={onClose} onStay={() => setConfirming(false)} />}
    </>
  )
}
