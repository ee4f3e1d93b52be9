import { useEffect, useRef } from 'react'
import { languageNames } from '#web/lib/language.ts'
import { Button } from '#web/ui/Button.tsx'
import { useTexts, type Say } from '#web/studio/texts.ts'
import { Table } from '#web/studio/ui/Table.tsx'
import type { Difference } from './compare-description.ts'
import type { SourceFile } from './source-file.ts'
import type { Offer, useFolder } from './use-folder.ts'
import styles from './content.module.css'

/** What the `video.yaml` and the cover of a folder say of the video, beside what its page says; what is ticked is taken over. */
export function FolderSays({
  folder,
  coverUrl,
}: {
  folder: ReturnType<typeof useFolder>
  /** Of the cover as it is. */
  coverUrl: string | null
}) {
  const { t } = useTexts()
  const { file, cover, offers, mistake } = folder
  const name = file?.path ?? ''
  if (!file && !cover) return null
  const columns = [
    {
      title: t('content.said.part'),
      cell: ({ key, difference, isTaken }: Offer) => (
        <label className={styles.tick}>
          <input
            type="checkbox"
            checked={isTaken}
            onChange={({ target }) => folder.choose([key], target.checked)}
          />
          {difference ? partWords(difference, t) : t('content.cover')}
        </label>
      ),
    },
    {
      title: t('content.said.now'),
      cell: ({ difference }: Offer) =>
        difference ? (
          words(difference.part, difference.was, t)
        ) : coverUrl ? (
          <img src={coverUrl} alt="" {...size} className={styles.glimpse} />
        ) : (
          '–'
        ),
    },
    {
      title: t('content.said.says'),
      cell: ({ difference }: Offer) =>
        difference ? words(difference.part, difference.says, t) : cover && <Glimpse file={cover} />,
    },
  ]
  return (
    <div className={styles.plan}>
      <div role="status" className={styles.report}>
        {folder.isReading && <p>{t('content.said.reading', { name })}</p>}
        {folder.couldNotRead && <p className={styles.bad}>{t('content.said.unread', { name })}</p>}
        {mistake && <p className={styles.bad}>{t('content.said.wrong', { name, mistake })}</p>}
        {offers.length > 0 && <p>{t('content.said.stays')}</p>}
        {offers.length === 0 && !folder.isReading && !folder.couldNotRead && !mistake && (
          <p>{t('content.said.nothing', { name })}</p>
        )}
        {folder.namedEpisodes > 0 && <p>{t('content.said.episodes', { count: folder.namedEpisodes })}</p>}
      </div>
      <div className={styles.actions}>
        {folder.couldNotRead && (
          <Button look="quiet" onClick={folder.readAgain}>
            {t('content.said.readAgain')}
          </Button>
        )}
        {folder.takenCount < offers.length && (
          <Button
            look="quiet"
            onClick={() =>
              folder.choose(
                offers.map(({ key }) => key),
                true,
              )
            }
          >
            {t('content.said.all')}
          </Button>
        )}
      </div>
      {offers.length > 0 && (
        <Table
          caption={t('content.said.caption')}
          columns={columns}
          rows={offers}
          keyOf={({ key }) => key}
          empty=""
        />
      )}
    </div>
  )
}

const partNames = {
  titles: 'content.titleField',
  synopses: 'content.synopsis',
  category: 'content.category',
  tags: 'content.tags',
  free_episodes: 'content.free',
  price: 'content.said.price',
  badge: 'content.badge',
  featured: 'content.featured',
} as const satisfies Record<Difference['part'], string>

const partWords = ({ part, language }: Difference, t: Say) =>
  language ? `${t(partNames[part])} · ${languageNames[language]}` : t(partNames[part])

function words(part: Difference['part'], text: string, t: Say): string {
  if (text === '') return part === 'featured' ? t('content.no') : '–'
  if (part === 'featured') return t('content.yes')
  if (part === 'badge' && (text === 'new' || text === 'hot')) return t(`content.badges.${text}`)
  return text
}

const size = { width: 90, height: 120 }

/** The picture, cut to the middle; which part of it shows best the site finds by itself. */
function Glimpse({ file }: { file: SourceFile }) {
  const { t } = useTexts()
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    let isGone = false
    const show = async () => {
      const picture = await createImageBitmap(await file.read())
      if (!isGone) draw(canvas.current, picture)
      picture.close()
    }
    // What is no picture is told when it is sent.
    show().catch(() => {})
    return () => {
      isGone = true
    }
  }, [file])
  return (
    <canvas
      ref={canvas}
      {...size}
      className={styles.glimpse}
      role="img"
      aria-label={t('content.said.picture', { name: file.path })}
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
