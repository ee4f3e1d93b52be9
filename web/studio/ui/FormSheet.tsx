import { useState, type FormEvent, type ReactNode } from 'react'
import { Sheet } from '#web/ui/Sheet.tsx'
import { AskToLeave } from './LeaveGuard.tsx'

/** A sheet that holds a guarded form, and asks before it closes over what was typed into it. */
export function FormSheet({
  title,
  form,
  className,
  onClose,
  children,
}: {
  title: string
  /** What useGuardedForm gave. */
  form: { submit: (event: FormEvent) => void; isUnsaved: boolean }
  /** How the form's fields are laid out. */
  className?: string | undefined
  onClose: () => void
  children: ReactNode
}) {
  const [asks, setAsks] = useState(false)
  const mayClose = () => {
    setAsks(form.isUnsaved)
    return !form.isUnsaved
  }
  return (
    <>
      <Sheet title={title} mayClose={mayClose} onClose={onClose}>
        <form className={className} onSubmit={form.submit} noValidate>
          {children}
        </form>
      </Sheet>
      {asks && <AskToLeave onLeave={onClose} onStay={() => setAsks(false)} />}
    </>
  )
}
