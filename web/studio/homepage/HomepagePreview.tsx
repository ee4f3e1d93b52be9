import { useEffect, useRef, useState } from 'react'
import { previewHomepage, type HomepageDraft } from '#contract/studio/homepage.ts'
import { call } from '#web/lib/api.ts'
import { useOperatorSession } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { storeDraft } from './stored-draft.ts'
import styles from './homepage.module.css'

/** The time without changes after which the preview is updated. */
const debounceMs = 500
const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } } as const
export type PreviewSize = keyof typeof sizes

/**
 * The site in a frame, with the draft. The site reads the draft from this browser's storage
 * (web/features/catalog/queries.ts).
 */
export function HomepagePreview({
  draft,
  size,
  onSize,
}: {
  draft: HomepageDraft
  size: PreviewSize
  onSize: (size: PreviewSize) => void
}) {
  const { t } = useTexts()
  const [failed, setFailed] = useState(false)
  const [ready, setReady] = useState(false)
  const frame = useRef<HTMLIFrameElement>(null)
  const text = JSON.stringify(draft)
  const { id: operatorId } = useOperatorSession().operator
  useEffect(() => {
    const stop = new AbortController()
    const show = async () => {
      try {
        // `text` is the serialized draft.
        const body = { draft: JSON.parse(text) as HomepageDraft }
        storeDraft(operatorId, await call(previewHomepage, { body, signal: stop.signal }))
        setFailed(false)
        setReady(true)
        frame.current?.contentWindow?.location.reload()
      } catch {
        if (!stop.signal.aborted) setFailed(true)
      }
    }
    const timer = setTimeout(() => void show(), debounceMs)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text, operatorId])
  const { width, height } = sizes[size]
  return (
    <section className={styles.preview} aria-label={t('homepage.preview')}>
      <div className={styles.sizes} role="group" aria-label={t('homepage.preview')}>
        {(['phone', 'desktop'] as const).map((each) => (
          <button key={each} type="button" aria-pressed={each === size} onClick={() => onSize(each)}>
            {t(`homepage.size.${each}`)}
          </button>
        ))}
      </div>
      {failed && <p role="status">{t('homepage.previewFailed')}</p>}
      <div className={styles.frame} style={{ aspectRatio: `${width} / ${height}`, maxWidth: width }}>
        {ready && (
          <Scaled key={size} width={width}>
            <iframe ref={frame} src="/?draft" title={t('homepage.preview')} width={width} height={height} />
          </Scaled>
        )}
      </div>
    </section>
  )
}

/** Scales a page of `width` pixels to the available width. */
function Scaled({ width, children }: { width: number; children: React.ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  const [scale, setScale] = useState(1)
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const observer = new ResizeObserver(() => setScale(element.clientWidth / width))
    observer.observe(element)
    return () => observer.disconnect()
  }, [width])
  return (
    <div ref={box} className={styles.scaled}>
      <div style={{ transform: `scale(${scale})` }}>{children}</div>
    </div>
  )
}
