import { useId, useState, type ReactNode } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Button } from '#web/ui/Button.tsx'
import styles from '#web/features/members/forms/settings.module.css'

interface SettingProps {
  title: string
  text: string
  /** The label of the button that opens the form. */
  action: string
  /** Renders the form; `done` closes and resets it. */
  children: (done: () => void) => ReactNode
  /** Whether the form is open initially, because text that was typed earlier has been restored. */
  started?: boolean
}

/** One setting: its state, and a form that a button opens and closes. A closed form keeps the typed text. */
export function Setting({ title, text, action, children, started = false }: SettingProps) {
  const { t } = useTranslation()
  const id = useId()
  const [form, setForm] = useState<'none' | 'open' | 'folded'>(started ? 'open' : 'none')
  const done = () => {
    setForm('none')
    document.getElementById(`${id}-button`)?.focus()
  }
  return (
    <div className={styles.setting}>
      <h3 id={`${id}-title`}>{title}</h3>
      <p className={styles.text}>{text}</p>
      <Button
        variant="quiet"
        id={`${id}-button`}
        aria-labelledby={`${id}-button ${id}-title`}
        aria-expanded={form === 'open'}
        onClick={() => setForm(form === 'open' ? 'folded' : 'open')}
      >
        {form === 'open' ? t('settings.close') : action}
      </Button>
      {form !== 'none' && (
        <div className={styles.form} hidden={form === 'folded'}>
          {children(done)}
        </div>
      )}
    </div>
  )
}

/** A group of related settings. */
export function SettingGroup({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className={styles.group} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <div className={styles.card}>{children}</div>
    </section>
  )
}
