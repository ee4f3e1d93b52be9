import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { languages } from '#contract/languages.ts'
import type { DeskEpisode, DeskVideoPage } from '#contract/studio/videos.ts'
import { languageNames } from '#web/lib/language.ts'
import { Button } from '#web/ui/Button.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Table } from '#web/studio/ui/Table.tsx'
import { useUnsaved } from '#web/studio/ui/unsaved.ts'
import { bytesWords } from './bytes-words.ts'
import { FolderSays } from './FolderSays.tsx'
import { hasArrived } from './has-arrived.ts'
import { arrivedQuery } from './queries.ts'
import { arrange, rangesOf, readName, type Placed, type Season } from './read-names.ts'
import type { SourceFile } from './source-file.ts'
import type { ToSend } from './upload-queue.ts'
import { useFolder } from './use-folder.ts'
import styles from './content.module.css'

type Line = Season<SourceFile>['files'][number] & {
  /** The very same has arrived before: it is not sent again. */
  isHere: boolean
}

const placedOf = (found: readonly SourceFile[]): Placed<SourceFile>[] =>
  found.flatMap((file) => {
    const { kind, number, language } = readName(file.path)
    return kind === 'film' || kind === 'captions' ? [{ file, kind, number, language }] : []
  })

/** What the files come to: which episode each is, what is missing, doubled or unclear; numbers can be mended here. */
export function SeasonPlan({
  video,
  found,
  episodes,
  onBegin,
  onCancel,
}: {
  video: DeskVideoPage
  found: readonly SourceFile[]
  /** That the video has already. */
  episodes: readonly DeskEpisode[]
  onBegin: (files: ToSend[]) => void
  onCancel: () => void
}) {
  const { t } = useTexts()
  const [mended, setMended] = useState<ReadonlyMap<SourceFile, Partial<Placed<SourceFile>> | null>>(new Map())
  useUnsaved(mended.size > 0)
  const mend = (file: SourceFile, change: Partial<Placed<SourceFile>> | null) =>
    setMended(new Map([...mended, [file, change && { ...mended.get(file), ...change }]]))
  const placed = placedOf(found)
    .filter(({ file }) => mended.get(file) !== null)
    .map((each) => ({ ...each, ...mended.get(each.file) }))
  const there = new Set(episodes.map(({ number }) => number))
  const arrived = useQuery(arrivedQuery(video.id))
  const isHere = hasArrived(arrived.data?.list ?? [])
  const { files: arranged, gaps } = arrange(placed, there)
  const files = arranged.map((each): Line => ({ ...each, isHere: !each.trouble && isHere(each) }))
  const here = files.filter((each) => each.isHere).length
  const others = found.filter(({ path }) => readName(path).kind === 'other').length
  const coming = files.flatMap(({ kind, number }) => (kind === 'film' ? (number ?? []) : []))
  const folder = useFolder(found, video, { episodes, coming })
  const ready = files.flatMap(({ file, kind, number, language, trouble, isHere }) =>
    number === undefined || trouble || isHere
      ? []
      : [{ file, number, language, titles: kind === 'film' ? folder.titlesOf(number) : undefined }],
  )
  const isMended = ready.length + here === files.length
  const isBusy = arrived.isPending || folder.isReading || folder.busy
  const isReady = isMended && ready.length + folder.takenCount > 0 && !isBusy
  const begin = async () => {
    if (await folder.apply()) onBegin(ready)
  }
  const [isWhole, setWhole] = useState(false)
  const [first] = useState(() => markedOf(arrange(placedOf(found), there)))
  const isLong = files.length > shortList
  // Whatever was marked stays on screen while it is mended.
  const rows = isLong && !isWhole ? files.filter(({ file, trouble }) => trouble || first.has(file)) : files
  const astray = files.filter(({ trouble }) => trouble === 'noEpisode').map(({ file }) => file)
  const columns = [
    { title: t('content.file'), cell: ({ file }: Line) => file.path },
    { title: t('content.number'), cell: (line: Line) => <NumberField line={line} onNumber={mend} /> },
    { title: t('content.kind'), cell: (line: Line) => <Kind line={line} onLanguage={mend} /> },
    { title: t('content.size'), cell: ({ file }: Line) => bytesWords(file.bytes), figures: true },
    {
      title: t('content.note'),
      cell: ({ trouble, isHere, replaces, file }: Line) => (
        <span className={styles.note}>
          {trouble && <span className={styles.bad}>{t(`content.trouble.${trouble}`)}</span>}
          {isHere && t('content.isHere')}
          {!trouble && !isHere && replaces && !arrived.isPending && t('content.replaces')}
          <Button
            look="quiet"
            aria-label={t('content.leaveOutFile', { name: file.path })}
            onClick={() => mend(file, null)}
          >
            {t('content.leaveOut')}
          </Button>
        </span>
      ),
    },
  ]
  return (
    <div className={styles.plan}>
      <div role="status" className={styles.report}>
        <Sum files={files} />
        {here > 0 && <p>{t('content.here', { count: here })}</p>}
        {gaps.length > 0 && <p className={styles.bad}>{t('content.gaps', { numbers: rangesOf(gaps) })}</p>}
        {others > 0 && <p>{t('content.others', { count: others })}</p>}
        {!isMended && <p className={styles.bad}>{t('content.mendFirst')}</p>}
      </div>
      <FolderSays folder={folder} coverUrl={video.cover_url} />
      <div className={styles.actions}>
        {(files.length > here || here === 0 || folder.offers.length > 0) && (
          <Button disabled={!isReady} onClick={() => void begin()}>
            {files.length > here ? t('content.bringIn', { count: ready.length }) : t('content.said.takeOver')}
          </Button>
        )}
        {astray.length > 1 && (
          <Button
            look="quiet"
            onClick={() => setMended(new Map([...mended, ...astray.map((file) => [file, null] as const)]))}
          >
            {t('content.leaveOutAstray', { count: astray.length })}
          </Button>
        )}
        {isLong && (
          <Button look="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {t(isWhole ? 'content.fewerFiles' : 'content.allFiles', { count: files.length })}
          </Button>
        )}
        <Button look="quiet" onClick={onCancel}>
          {t('content.callOff')}
        </Button>
      </div>
      {(rows.length > 0 || (files.length === 0 && folder.offers.length === 0)) && (
        <Table
          caption={t('content.plan')}
          columns={columns}
          rows={rows}
          keyOf={({ file }) => `${file.path} ${file.bytes}`}
          empty={t('content.noFilms')}
        />
      )}
    </div>
  )
}

/** So many files are shown at once; of more, those that are marked, and the rest on request. */
const shortList = 8

const markedOf = ({ files }: Season<SourceFile>): ReadonlySet<SourceFile> =>
  new Set(files.filter(({ trouble }) => trouble).map(({ file }) => file))

/** What the files come to in a sentence or two. */
function Sum({ files }: { files: readonly Line[] }) {
  const { t } = useTexts()
  const films = files.filter(({ kind }) => kind === 'film')
  const captions = files.filter(({ kind }) => kind === 'captions')
  const spoken = languages.filter((each) => captions.some(({ language }) => language === each))
  return (
    <>
      {films.length > 0 && (
        <p>
          {t('content.filmsFound', {
            count: films.length,
            numbers: rangesOf(films.flatMap(({ number }) => number ?? [])),
          })}
        </p>
      )}
      {captions.length > 0 && (
        <p>
          {t('content.captionsFound', {
            count: captions.length,
            languages: spoken.map((each) => languageNames[each]).join(', '),
          })}
        </p>
      )}
    </>
  )
}

type Mend = (file: SourceFile, change: Partial<Placed<SourceFile>>) => void

function NumberField({ line: { file, number }, onNumber }: { line: Line; onNumber: Mend }) {
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

function Kind({ line: { file, kind, language }, onLanguage }: { line: Line; onLanguage: Mend }) {
  const { t } = useTexts()
  if (kind === 'film') return t('content.film')
  return (
    <select
      className={styles.numberField}
      aria-label={t('content.captionsOf', { name: file.path })}
      value={language ?? ''}
      onChange={({ target }) =>
        onLanguage(file, { language: languages.find((each) => each === target.value) })
      }
    >
      <option value="">{t('content.captionsUnknown')}</option>
      {languages.map((each) => (
        <option key={each} value={each}>
          {t('content.captionsIn', { languages: languageNames[each] })}
        </option>
      ))}
    </select>
  )
}
