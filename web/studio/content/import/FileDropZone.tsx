import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { StudioVideoPage } from '#contract/studio/videos.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { useFileDrop } from '#web/studio/ui/use-file-drop.ts'
import { collectFiles, droppedFiles } from '#web/studio/content/uploads/collect-files.ts'
import { episodesQuery } from '#web/studio/content/queries.ts'
import { fromFile, type SourceFile } from '#web/studio/content/uploads/source-file.ts'
import { UploadPreview } from './UploadPreview.tsx'
import { UploadList } from '#web/studio/content/uploads/UploadList.tsx'
import { enqueueUploads } from '#web/studio/content/uploads/upload-queue.ts'
import styles from '#web/studio/content/content.module.css'

/**
 * Returns whether the text offers to drop files: only if the device has a mouse, a trackpad or a pen. A tablet with a
 * trackpad has one, although its main input is the touch screen. The page accepts dropped files on every device.
 */
const canDrop = () => matchMedia('(any-pointer: fine)').matches

/**
 * Selects the files of a season. A folder, files or a ZIP can also be dropped anywhere on the page. Shows a preview
 * before the upload starts.
 */
export function FileDropZone({ video }: { video: StudioVideoPage }) {
  const { t } = useTexts()
  const { id } = video
  const [found, setFound] = useState<SourceFile[] | null>(null)
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const lead = useRef<HTMLParagraphElement>(null)
  const episodes = useQuery(episodesQuery(id, false))
  const addFiles = (added: Promise<SourceFile[]>) =>
    void added
      .then(collectFiles)
      .then((all) => setFound((before) => [...(before ?? []), ...all]))
      .catch(() => notify(t('content.unreadable')))
  const isOver = useFileDrop((dropped) => addFiles(droppedFiles(dropped)))
  const choose = (input: HTMLInputElement) => {
    addFiles(Promise.resolve([...(input.files ?? [])].map((file) => fromFile(file))))
    input.value = ''
  }
  return (
    <div className={styles.drop} data-over={isOver}>
      <p ref={lead} tabIndex={-1}>
        {t(canDrop() ? 'content.dropHere' : 'content.chooseHere')}
      </p>
      <p className={styles.quiet}>{t('content.dropNames')}</p>
      <div className={styles.actions}>
        <Button variant="quiet" onClick={() => files.current?.click()}>
          {t('content.chooseFiles')}
        </Button>
        <Button variant="quiet" onClick={() => folder.current?.click()}>
          {t('content.chooseFolder')}
        </Button>
      </div>
      <input ref={files} hidden type="file" multiple onChange={({ target }) => choose(target)} />
      <input
        ref={(element) => {
          folder.current = element
          // React's types do not contain this attribute.
          element?.setAttribute('webkitdirectory', '')
        }}
        hidden
        type="file"
        onChange={({ target }) => choose(target)}
      />
      {found && (
        <UploadPreview
          video={video}
          chosenFiles={found}
          episodes={episodes.data?.list ?? []}
          onCancel={() => setFound(null)}
          onBegin={(season) => {
            if (season.length > 0) enqueueUploads(id, season)
            setFound(null)
          }}
        />
      )}
      <UploadList videoId={id} onRemoved={() => lead.current?.focus()} />
    </div>
  )
}
