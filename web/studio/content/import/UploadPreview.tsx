import { useState } from 'react'
import { languages } from '#contract/languages.ts'
import type { StudioEpisode, StudioVideoPage } from '#contract/studio/videos.ts'
import { languageNames } from '#web/lib/language.ts'
import { Button } from '#web/ui/Button.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatBytes } from '#web/studio/content/uploads/format-bytes.ts'
import { ImportDiff } from './ImportDiff.tsx'
import { rangesOf } from '#web/studio/content/uploads/assign-episodes.ts'
import type { SourceFile } from '#web/studio/content/uploads/source-file.ts'
import type { FileToUpload } from '#web/studio/content/uploads/upload-queue.ts'
import { useUploadPreview, type Line, type PlannedUpload } from './use-upload-preview.ts'
import styles from '#web/studio/content/content.module.css'

/** Up to this many files are all shown. A longer list is collapsed to the files with problems. */
const shortList = 8

/**
 * The preview of an upload: the episode of each file, and which files are missing, duplicate or unclear. The operator
 * can correct episode numbers and caption languages.
 */
export function UploadPreview({
  video,
  chosenFiles,
  episodes,
  onBegin,
  onCancel,
}: {
  video: StudioVideoPage
  chosenFiles: readonly SourceFile[]
  /** The episodes that the video already has. */
  episodes: readonly StudioEpisode[]
  onBegin: (files: FileToUpload[]) => void
  onCancel: () => void
}) {
  const { t } = useTexts()
  const plan = useUploadPreview(video, chosenFiles, episodes)
  const { lines, folder, ready, here } = plan
  const [isExpanded, setExpanded] = useState(false)
  const isLong = lines.length > shortList
  const hasWork = lines.length > here || here === 0 || folder.offers.length > 0
  const isReady = plan.isValid && ready.length + folder.takenCount > 0 && !plan.isBusy
  const filesWithoutEpisode = lines.filter(({ problem }) => problem === 'noEpisode').map(({ file }) => file)
  const begin = async () => {
    if (await folder.apply()) onBegin(ready)
  }
  return (
    <div className={styles.plan}>
      <PreviewReport plan={plan} />
      <ImportDiff folder={folder} video={video} />
      <div className={styles.actions}>
        {hasWork && (
          <Button disabled={!isReady} onClick={() => void begin()}>
            {lines.length > here
              ? t('content.uploadFiles', { count: ready.length })
              : t('content.import.importSelected')}
          </Button>
        )}
        {filesWithoutEpisode.length > 1 && (
          <Button variant="quiet" onClick={() => plan.leaveOut(filesWithoutEpisode)}>
            {t('content.skipUnmatchedCaptions', { count: filesWithoutEpisode.length })}
          </Button>
        )}
        {isLong && (
          <Button variant="quiet" aria-expanded={isExpanded} onClick={() => setExpanded(!isExpanded)}>
            {t(isExpanded ? 'content.showProblemFiles' : 'content.showAllFiles', { count: lines.length })}
          </Button>
        )}
        <Button variant="quiet" onClick={onCancel}>
          {t('content.cancel')}
        </Button>
      </div>
      <FileTable plan={plan} isShort={isLong && !isExpanded} />
    </div>
  )
}

function PreviewReport({ plan: { lines, here, gaps, others, isValid } }: { plan: PlannedUpload }) {
  const { t } = useTexts()
  return (
    <div role="status" className={styles.report}>
      <FileSummary files={lines} />
      {here > 0 && <p>{t('content.alreadyUploadedCount', { count: here })}</p>}
      {gaps.length > 0 && (
        <p className={styles.bad}>{t('content.missingEpisodes', { numbers: rangesOf(gaps) })}</p>
      )}
      {others.length > 0 && <IgnoredFiles paths={others} />}
      {!isValid && <p className={styles.bad}>{t('content.fixProblemsFirst')}</p>}
    </div>
  )
}

/** The names of the files that are not uploaded. */
function IgnoredFiles({ paths }: { paths: readonly string[] }) {
  const { t } = useTexts()
  return (
    <details className={styles.unfold} open={paths.length <= shortList}>
      <summary>{t('content.unneededFiles', { count: paths.length })}</summary>
      <ul className={styles.titles} {...(paths.length > shortList ? { tabIndex: 0 } : {})}>
        {paths.map((path, index) => (
          <li key={`${index} ${path}`}>{path}</li>
        ))}
      </ul>
    </details>
  )
}

/**
 * A table of the files. `isShort` shows only the files that have or had a problem. So a corrected file stays visible.
 */
function FileTable({ plan, isShort }: { plan: PlannedUpload; isShort: boolean }) {
  const { t } = useTexts()
  const { lines, folder, fix } = plan
  const rows = isShort ? lines.filter(({ file, problem }) => problem || plan.hadProblem(file)) : lines
  const columns = [
    { title: t('content.file'), cell: ({ file }: Line) => file.path },
    { title: t('content.number'), cell: (line: Line) => <NumberField line={line} onNumber={fix} /> },
    { title: t('content.kind'), cell: (line: Line) => <FileKindField line={line} onLanguage={fix} /> },
    { title: t('content.size'), cell: ({ file }: Line) => formatBytes(file.bytes), figures: true },
    { title: t('content.note'), cell: (line: Line) => <FileNote plan={plan} line={line} /> },
  ]
  // An empty table says that there are no media files. It is omitted if the folder has texts or covers to import.
  const isNeeded = rows.length > 0 || (lines.length === 0 && folder.offers.length === 0)
  return (
    isNeeded && (
      <Table
        caption={t('content.uploadPreview')}
        columns={columns}
        rows={rows}
        keyOf={({ file }) => `${file.path} ${file.bytes}`}
        empty={t('content.noMediaFiles')}
      />
    )
  )
}

function FileNote({ plan, line }: { plan: PlannedUpload; line: Line }) {
  const { t } = useTexts()
  const { problem, isHere, replaces, file } = line
  return (
    <span className={styles.note}>
      {problem && <span className={styles.bad}>{t(`content.fileProblem.${problem}`)}</span>}
      {isHere && t('content.alreadyUploaded')}
      {!problem && !isHere && replaces && plan.isLookedUp && t('content.replaces')}
      <Button
        variant="quiet"
        aria-label={t('content.skipFile', { name: file.path })}
        onClick={() => plan.leaveOut([file])}
      >
        {t('content.skip')}
      </Button>
    </span>
  )
}

/** Summarizes the upload in one or two sentences. */
function FileSummary({ files }: { files: readonly Line[] }) {
  const { t } = useTexts()
  const films = files.filter(({ kind }) => kind === 'film')
  const captions = files.filter(({ kind }) => kind === 'captions')
  const captionLanguages = languages.filter((each) => captions.some(({ language }) => language === each))
  return (
    <>
      {films.length > 0 && (
        <p>
          {t('content.videosFound', {
            count: films.length,
            numbers: rangesOf(films.flatMap(({ number }) => number ?? [])),
          })}
        </p>
      )}
      {captions.length > 0 && (
        <p>
          {t('content.captionsFound', {
            count: captions.length,
            languages: captionLanguages.map((each) => languageNames[each]).join(', '),
          })}
        </p>
      )}
    </>
  )
}

type Fix = PlannedUpload['fix']

function NumberField({ line: { file, number }, onNumber }: { line: Line; onNumber: Fix }) {
  const { t } = useTexts()
  return (
    <input
      className={styles.numberField}
      inputMode="numeric"
      aria-label={t('content.numberOf', { name: file.path })}
      value={number ?? ''}
      onChange={({ target }) => {
        const typed = Number(target.value)
        onNumber(file, { number: typed >= 1 && typed <= 9999 ? Math.floor(typed) : undefined })
      }}
    />
  )
}

function FileKindField({ line: { file, kind, language }, onLanguage }: { line: Line; onLanguage: Fix }) {
  const { t } = useTexts()
  if (kind === 'film') return t('content.videoFile')
  return (
    <select
      className={styles.numberField}
      aria-label={t('content.captionsOf', { name: file.path })}
      value={language ?? ''}
      onChange={({ target }) =>
        onLanguage(file, { language: languages.find((each) => each === target.value) })
      }
    >
      <option value="">{t('content.captionLanguage')}</option>
      {languages.map((each) => (
        <option key={each} value={each}>
          {t('content.captionsIn', { languages: languageNames[each] })}
        </option>
      ))}
    </select>
  )
}
