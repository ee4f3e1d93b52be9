import { useEffect, useRef, useState } from 'react'
import { languages } from '#contract/languages.ts'
import type { StudioVideoPage } from '#contract/studio/videos.ts'
import { languageNames } from '#web/lib/language.ts'
import { Button } from '#web/ui/Button.tsx'
import { useTexts, type Translate } from '#web/studio/texts.ts'
import { Table } from '#web/studio/ui/Table.tsx'
import type { DescriptionDifference } from './compare-description.ts'
import type { TitleDifference } from './compare-titles.ts'
import { rangesOf } from '#web/studio/content/uploads/assign-episodes.ts'
import type { SourceFile } from '#web/studio/content/uploads/source-file.ts'
import { currentCoverUrl, type ImportChange, type useImportDiff } from './use-import-diff.ts'
import styles from '#web/studio/content/content.module.css'

/**
 * Shows how the `video.yaml` and the covers of a folder differ from the values of the video. The operator selects the
 * values to import.
 */
export function ImportDiff({
  folder,
  video,
}: {
  folder: ReturnType<typeof useImportDiff>
  video: StudioVideoPage
}) {
  const { t } = useTexts()
  const [isExpanded, setExpanded] = useState(false)
  const { file, covers, offers, mistake } = folder
  const name = file?.path ?? ''
  if (!file && covers.length === 0) return null
  const { rows, replacing } = rowsOf(offers)
  const isLong = replacing.length > shortList
  const columns = [
    {
      title: t('content.import.field'),
      cell: ({ key, offers: [first] }: Row) => (
        <label className={styles.tick}>
          <input
            type="checkbox"
            checked={first?.isTaken ?? false}
            onChange={({ target }) => folder.choose([key], target.checked)}
          />
          {first && changeName(first, t)}
        </label>
      ),
    },
    {
      title: t('content.import.current'),
      cell: ({ offers: [first] }: Row) => {
        if (first?.difference) return <CurrentValue difference={first.difference} />
        if (first?.title) return first.title.was || '–'
        const now = currentCoverUrl(video, first?.cover?.language)
        return now ? <img src={now} alt="" {...size} className={styles.glimpse} /> : '–'
      },
    },
    {
      title: t('content.import.imported'),
      cell: ({ offers: rowOffers }: Row) => {
        const [first] = rowOffers
        if (first?.difference) return valueText(first.difference.part, first.difference.says, t)
        if (first?.title?.was) return first.title.says
        if (first?.title) return <Titles of={rowOffers.flatMap(({ title }) => title ?? [])} />
        return first?.cover && <CoverThumbnail file={first.cover.file} />
      },
    },
  ]
  return (
    <div className={styles.plan}>
      <div role="status" className={styles.report}>
        {folder.isReading && <p>{t('content.import.reading', { name })}</p>}
        {folder.couldNotRead && <p className={styles.bad}>{t('content.import.readFailed', { name })}</p>}
        {mistake && <p className={styles.bad}>{t('content.import.unusable', { name, mistake })}</p>}
        {offers.length > 0 && <p>{t('content.import.overwriteHint')}</p>}
        {offers.length === 0 && !folder.isReading && !folder.couldNotRead && !mistake && (
          <p>{t('content.import.noChanges', { name })}</p>
        )}
        {folder.unknown.length > 0 && (
          <p>
            {t('content.import.unknownEpisodes', {
              count: folder.unknown.length,
              numbers: rangesOf(folder.unknown),
            })}
          </p>
        )}
      </div>
      <div className={styles.actions}>
        {folder.couldNotRead && (
          <Button variant="quiet" onClick={folder.readAgain}>
            {t('content.import.retry')}
          </Button>
        )}
        {folder.takenCount < offers.length && (
          <Button
            variant="quiet"
            onClick={() =>
              folder.choose(
                offers.map(({ key }) => key),
                true,
              )
            }
          >
            {t('content.import.selectAll')}
          </Button>
        )}
        {isLong && (
          <Button variant="quiet" aria-expanded={isExpanded} onClick={() => setExpanded(!isExpanded)}>
            {t(isExpanded ? 'content.import.showFewerTitles' : 'content.import.showAllTitles', {
              count: replacing.length,
            })}
          </Button>
        )}
      </div>
      {offers.length > 0 && (
        <Table
          caption={t('content.import.caption')}
          columns={columns}
          rows={[...rows, ...(isLong && !isExpanded ? replacing.slice(0, shortList) : replacing)]}
          keyOf={({ key }) => key}
          empty=""
        />
      )}
    </div>
  )
}

/** Up to this many replaced titles are shown without expanding the list. */
const shortList = 8

/** The changes that one checkbox selects together. */
interface Row {
  key: string
  offers: ImportChange[]
}

const rowOf = (offers: ImportChange[]): Row => ({ key: offers[0]?.key ?? '', offers })

/**
 * Groups the changes into rows: one row per change, but new episode titles share one row per language, because a season
 * has many.
 */
function rowsOf(offers: readonly ImportChange[]): { rows: Row[]; replacing: Row[] } {
  const single = offers.filter(({ title }) => !title)
  const fresh = languages.map((language) =>
    offers.filter(({ title }) => title?.language === language && title.was === ''),
  )
  const replacing = offers.filter(({ title }) => title && title.was !== '')
  return {
    rows: [...single.map((offer) => [offer]), ...fresh.filter(({ length }) => length > 0)].map(rowOf),
    replacing: replacing.map((offer) => rowOf([offer])),
  }
}

function changeName({ difference, title, cover }: ImportChange, t: Translate): string {
  if (difference) return partText(difference, t)
  if (!title)
    return cover?.language ? `${t('content.cover')} · ${languageNames[cover.language]}` : t('content.cover')
  const { number, language, was } = title
  const name = was ? t('content.import.titleOf', { number }) : t('content.import.titles')
  return `${name} · ${languageNames[language]}`
}

/** New titles with their episode numbers. A long list is collapsed to its count. */
function Titles({ of }: { of: readonly TitleDifference[] }) {
  const { t } = useTexts()
  const isLong = of.length > 3
  const list = (
    <ul className={styles.titles} {...(isLong ? { tabIndex: 0 } : {})}>
      {of.map(({ number, says }) => (
        <li key={number}>
          <span className={styles.quiet}>{number}</span> {says}
        </li>
      ))}
    </ul>
  )
  if (!isLong) return list
  const numbers = rangesOf(of.map(({ number }) => number))
  return (
    <details className={styles.unfold}>
      <summary>{t('content.import.titleCount', { count: of.length, numbers })}</summary>
      {list}
    </details>
  )
}

const partNames = {
  titles: 'content.titleField',
  synopses: 'content.synopsis',
  category: 'content.category',
  tags: 'content.tags',
  free_episodes: 'content.free',
  price: 'content.import.price',
  badge: 'content.badge',
  featured: 'content.featured',
} as const satisfies Record<DescriptionDifference['part'], string>

const partText = ({ part, language }: DescriptionDifference, t: Translate) =>
  language ? `${t(partNames[part])} · ${languageNames[language]}` : t(partNames[part])

function valueText(part: DescriptionDifference['part'], text: string, t: Translate): string {
  if (text === '') return part === 'featured' ? t('content.no') : '–'
  if (part === 'featured') return t('content.yes')
  if (part === 'badge' && (text === 'new' || text === 'hot')) return t(`content.badges.${text}`)
  return text
}

/** The current value of the video; muted if it is an inherited default. */
function CurrentValue({ difference: { part, was, isInherited } }: { difference: DescriptionDifference }) {
  const { t } = useTexts()
  return (
    <span>
      {valueText(part, was, t)}
      {isInherited && <span className={styles.quiet}> ({t('content.import.inherited')})</span>}
    </span>
  )
}

const size = { width: 90, height: 120 }

/** A thumbnail that shows the middle of the image. After the upload, the server itself chooses the best crop. */
function CoverThumbnail({ file }: { file: SourceFile }) {
  const { t } = useTexts()
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    let isUnmounted = false
    const show = async () => {
      const picture = await createImageBitmap(await file.read())
      if (!isUnmounted) draw(canvas.current, picture)
      picture.close()
    }
    // Not reported here: the upload reports a file that is not an image.
    show().catch(() => {})
    return () => {
      isUnmounted = true
    }
  }, [file])
  return (
    <canvas
      ref={canvas}
      {...size}
      className={styles.glimpse}
      role="img"
      aria-label={t('content.import.image', { name: file.path })}
    />
  )
}

function draw(canvas: HTMLCanvasElement | null, picture: ImageBitmap): void {
  const scale = Math.max(size.width / picture.width, size.height / picture.height)
  const [width, height] = [picture.width * scale, picture.height * scale]
  canvas
    ?.getContext('2d')
    ?.drawImage(picture, (size.width - width) / 2, (size.height - height) / 2, width, height)
}
