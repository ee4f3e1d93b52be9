import { useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { longestText, restoreText, saveText, showText, type SiteText } from '#contract/studio/texts.ts'
import { call, CallRejected } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { isSignedOut } from '#web/studio/queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { AskFirst } from '#web/studio/ui/sheets/AskFirst.tsx'
import { useUnsaved } from '#web/studio/ui/unsaved/unsaved.ts'
import { formatTime } from '#web/studio/format.ts'
import { TextPreview } from './TextPreview.tsx'
import { isMovedOn, textQuery, textsQuery } from './text-queries.ts'
import styles from './homepage.module.css'

const names = ['site', 'operator', 'address', 'contact', 'url'].map((name) => `{{${name}}}`).join(', ')

/** Edits a page in Markdown with a preview. Typed text survives a save by another operator, and leaving asks first. */
export function TextEditor({ saved }: { saved: SiteText }) {
  const { t, language: shown } = useTexts()
  const queryClient = useQueryClient()
  const id = useId()
  const [base, setBase] = useState(saved)
  const [markdown, setMarkdown] = useState(saved.markdown)
  const [theirs, setTheirs] = useState<SiteText | null>(null)
  const [busy, setBusy] = useState(false)
  const [asks, setAsks] = useState(false)
  const [problem, setProblem] = useState('')
  const isChanged = markdown !== base.markdown
  const { name, language } = base
  useUnsaved(isChanged)

  const take = (text: SiteText) => {
    setBase(text)
    setMarkdown(text.markdown)
    setTheirs(null)
    setProblem('')
    queryClient.setQueryData(textQuery(name, language).queryKey, text)
    void queryClient.invalidateQueries({ queryKey: textsQuery.queryKey })
  }
  const change = async (give: () => Promise<SiteText>) => {
    setBusy(true)
    try {
      take(await give())
      notify(t('homepage.textSaved'))
    } catch (error) {
      if (isMovedOn(error)) setTheirs(await call(showText, { query: { name, language } }))
      else if (error instanceof CallRejected && !isSignedOut(error)) setProblem(error.message)
    } finally {
      setBusy(false)
      setAsks(false)
    }
  }
  const save = ({ version }: SiteText) =>
    void change(() => call(saveText, { body: { name, language, markdown, version } }))
  return (
    <div className={styles.composer}>
      <form
        className={styles.writing}
        onSubmit={(event) => {
          event.preventDefault()
          save(base)
        }}
      >
        <label htmlFor={id} className={styles.label}>
          {t('homepage.markdown')}
        </label>
        <p id={`${id}-hint`} className={styles.note}>
          {t('homepage.markdownHint', { names })}
        </p>
        <textarea
          id={id}
          className={styles.markdown}
          value={markdown}
          maxLength={longestText}
          aria-describedby={`${id}-hint`}
          aria-invalid={problem !== ''}
          spellCheck
          onChange={({ target }) => {
            setMarkdown(target.value)
            setProblem('')
          }}
        />
        {problem && (
          <p role="alert" className={styles.bad}>
            {problem}
          </p>
        )}
        {theirs && (
          <Conflict
            theirs={theirs}
            busy={busy}
            onTheirs={() => take(theirs)}
            onMine={() => {
              setBase(theirs)
              setTheirs(null)
              save(theirs)
            }}
          />
        )}
        <div className={styles.save}>
          <Button type="submit" disabled={busy || !isChanged || theirs !== null}>
            {t('homepage.saveText')}
          </Button>
          {base.own && (
            <Button look="quiet" disabled={busy || theirs !== null} onClick={() => setAsks(true)}>
              {t('homepage.restoreText')}
            </Button>
          )}
          <p role="status">
            {isChanged
              ? t('homepage.changed')
              : base.own
                ? t('homepage.writtenAt', { time: formatTime(base.updated_at, shown) })
                : t('homepage.asItCame')}
          </p>
        </div>
      </form>
      <TextPreview markdown={markdown} />
      {asks && (
        <AskFirst
          title={t('homepage.restoreTitle')}
          text={t('homepage.restoreAsk')}
          action={t('homepage.restoreText')}
          busy={busy}
          onDo={() =>
            void change(() => call(restoreText, { body: { name, language, version: base.version } }))
          }
          onClose={() => setAsks(false)}
        />
      )}
    </div>
  )
}

/** Shows the text that another operator has saved. Both texts are kept until the operator chooses one. */
function Conflict({
  theirs,
  busy,
  onTheirs,
  onMine,
}: {
  theirs: SiteText
  busy: boolean
  onTheirs: () => void
  onMine: () => void
}) {
  const { t } = useTexts()
  const id = useId()
  return (
    <div role="alert" className={styles.conflict}>
      <p>{t('homepage.conflict')}</p>
      <label htmlFor={id} className={styles.label}>
        {t('homepage.theirs')}
      </label>
      <textarea id={id} className={styles.markdown} readOnly value={theirs.markdown} />
      <div className={styles.actions}>
        <Button look="quiet" disabled={busy} onClick={onTheirs}>
          {t('homepage.takeTheirs')}
        </Button>
        <Button look="danger" disabled={busy} onClick={onMine}>
          {t('homepage.takeMine')}
        </Button>
      </div>
    </div>
  )
}
