import { useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import {
  maxPageTextLength,
  resetPageText,
  savePageText,
  showPageText,
  type PageText,
} from '#contract/studio/page-texts.ts'
import { call, ApiError } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { isSignedOut } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { ConfirmSheet } from '#web/studio/ui/sheets/ConfirmSheet.tsx'
import { useUnsaved } from '#web/studio/ui/unsaved/use-unsaved.ts'
import { formatTime } from '#web/studio/format.ts'
import { TextPreview } from './TextPreview.tsx'
import { isVersionConflict, textQuery, textsQuery } from './text-queries.ts'
import styles from './homepage.module.css'

const placeholders = ['site', 'operator', 'address', 'contact', 'url'].map((name) => `{{${name}}}`).join(', ')

/**
 * Edits a page text in Markdown, with a preview. If another operator saves the text meanwhile, no typed text is lost.
 * Leaving with unsaved text asks for a confirmation.
 */
export function TextEditor({ saved }: { saved: PageText }) {
  const { t, language: shown } = useTexts()
  const queryClient = useQueryClient()
  const id = useId()
  const [savedText, setSavedText] = useState(saved)
  const [markdown, setMarkdown] = useState(saved.markdown)
  const [conflictingText, setConflictingText] = useState<PageText | null>(null)
  const [busy, setBusy] = useState(false)
  const [isConfirming, setConfirming] = useState(false)
  const [problem, setProblem] = useState('')
  const isChanged = markdown !== savedText.markdown
  const { name, language } = savedText
  useUnsaved(isChanged)

  const loadText = (text: PageText) => {
    setSavedText(text)
    setMarkdown(text.markdown)
    setConflictingText(null)
    setProblem('')
    queryClient.setQueryData(textQuery(name, language).queryKey, text)
    void queryClient.invalidateQueries({ queryKey: textsQuery.queryKey })
  }
  /** Loads the current text; undefined if the call fails. The operator can then save again, which repeats the call. */
  const loadCurrentText = () => call(showPageText, { query: { name, language } }).catch(() => undefined)
  const change = async (sendRequest: () => Promise<PageText>) => {
    setBusy(true)
    setProblem('')
    try {
      loadText(await sendRequest())
      notify(t('homepage.textPublished'))
    } catch (error) {
      const theirs = isVersionConflict(error) ? await loadCurrentText() : undefined
      if (theirs) setConflictingText(theirs)
      else if (error instanceof ApiError && !isSignedOut(error)) setProblem(error.message)
    } finally {
      setBusy(false)
      setConfirming(false)
    }
  }
  const save = ({ version }: PageText) =>
    void change(() => call(savePageText, { body: { name, language, markdown, version } }))
  return (
    <div className={styles.composer}>
      <form
        className={styles.writing}
        onSubmit={(event) => {
          event.preventDefault()
          save(savedText)
        }}
      >
        <label htmlFor={id} className={styles.label}>
          {t('homepage.markdown')}
        </label>
        <p id={`${id}-hint`} className={styles.note}>
          {t('homepage.markdownHint', { names: placeholders })}
        </p>
        <textarea
          id={id}
          className={styles.markdown}
          value={markdown}
          maxLength={maxPageTextLength}
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
        {conflictingText && (
          <Conflict
            theirs={conflictingText}
            busy={busy}
            onTheirs={() => loadText(conflictingText)}
            onMine={() => {
              setSavedText(conflictingText)
              setConflictingText(null)
              save(conflictingText)
            }}
          />
        )}
        <div className={styles.save}>
          <Button type="submit" disabled={busy || !isChanged || conflictingText !== null}>
            {t('homepage.publishText')}
          </Button>
          {savedText.custom && (
            <Button
              variant="quiet"
              disabled={busy || conflictingText !== null}
              onClick={() => setConfirming(true)}
            >
              {t('homepage.resetText')}
            </Button>
          )}
          <p role="status">
            {isChanged
              ? t('homepage.unpublishedChanges')
              : savedText.custom
                ? t('homepage.editedAt', { time: formatTime(savedText.updated_at, shown) })
                : t('homepage.original')}
          </p>
        </div>
      </form>
      <TextPreview markdown={markdown} />
      {isConfirming && (
        <ConfirmSheet
          title={t('homepage.resetTitle')}
          text={t('homepage.resetWarning')}
          action={t('homepage.resetText')}
          busy={busy}
          onConfirm={() =>
            void change(() => call(resetPageText, { body: { name, language, version: savedText.version } }))
          }
          onClose={() => setConfirming(false)}
        />
      )}
    </div>
  )
}

/** Shows the text that another operator has saved meanwhile. Both versions stay until the operator chooses one. */
function Conflict({
  theirs,
  busy,
  onTheirs,
  onMine,
}: {
  theirs: PageText
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
        {t('homepage.currentVersion')}
      </label>
      <textarea id={id} className={styles.markdown} readOnly value={theirs.markdown} />
      <div className={styles.actions}>
        <Button variant="quiet" disabled={busy} onClick={onTheirs}>
          {t('homepage.useTheirs')}
        </Button>
        <Button variant="danger" disabled={busy} onClick={onMine}>
          {t('homepage.publishMine')}
        </Button>
      </div>
    </div>
  )
}
