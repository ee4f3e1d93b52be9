import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, type PointerEvent } from 'react'
import { languages, type Language } from '#contract/languages.ts'
import { coverPathOf } from '#web/studio/content/cover-path.ts'
import { languageNames } from '#web/lib/language.ts'
import { notify } from '#web/lib/notify.ts'
import { Sheet } from '#web/ui/Sheet.tsx'
import { uploadImage } from '#web/studio/upload-image.ts'
import { useTexts } from '#web/studio/texts.ts'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import { SheetActions } from '#web/studio/ui/sheets/SheetActions.tsx'
import styles from '#web/studio/content/content.module.css'

type OnCanvas = PointerEvent<HTMLCanvasElement>

const size = { width: 1200, height: 1600 }
/** An image that is enlarged by more than this factor has fewer pixels than the 600 × 800 of a cover. */
const sharpScale = 2

/** An image from a file, or a frame of a video. */
export type Picture = ImageBitmap | HTMLCanvasElement

/** The crop: its zoom, and its horizontal and vertical position from 0 to 1. */
interface Crop {
  zoom: number
  horizontal: number
  vertical: number
}

/**
 * Crops an image to the shape of a cover. The operator drags the image, or zooms and moves it with three sliders.
 */
export function CropSheet({
  videoId,
  picture,
  onClose,
}: {
  videoId: string
  picture: Picture
  onClose: () => void
}) {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [crop, setCrop] = useState<Crop>({ zoom: 1, horizontal: 0.5, vertical: 0.5 })
  const [language, setLanguage] = useState<Language | ''>('')
  const [busy, setBusy] = useState(false)
  useEffect(() => draw(canvas.current, picture, crop), [picture, crop])
  const lastPointer = useRef<{ x: number; y: number }>(undefined)
  const startDrag = ({ buttons, isPrimary, pointerId, clientX, clientY, currentTarget }: OnCanvas) => {
    if (buttons !== 1 || !isPrimary) return
    currentTarget.setPointerCapture(pointerId)
    lastPointer.current = { x: clientX, y: clientY }
  }
  const drag = ({ isPrimary, clientX, clientY, currentTarget }: OnCanvas) => {
    if (!lastPointer.current || !isPrimary) return
    const scale = size.width / currentTarget.clientWidth
    const [byX, byY] = [(clientX - lastPointer.current.x) * scale, (clientY - lastPointer.current.y) * scale]
    lastPointer.current = { x: clientX, y: clientY }
    setCrop((before) => {
      const { horizontal, vertical } = overflowOf(picture, before.zoom)
      return {
        ...before,
        horizontal: clampShare(before.horizontal - (horizontal ? byX / horizontal : 0)),
        vertical: clampShare(before.vertical - (vertical ? byY / vertical : 0)),
      }
    })
  }
  const save = async () => {
    setBusy(true)
    const sent = await sendCover(coverPathOf(videoId, language || undefined), canvas.current).catch(
      () => false,
    )
    setBusy(false)
    if (!sent) return notify(t('content.imageInvalid'))
    void queryClient.invalidateQueries({ queryKey: ['video', videoId] })
    notify(t('content.saved'))
    onClose()
  }
  return (
    <Sheet title={t('content.cropCover')} onClose={onClose} tall>
      <div className={styles.sheet}>
        <canvas
          ref={canvas}
          {...size}
          className={styles.crop}
          onPointerDown={startDrag}
          onPointerMove={drag}
          onLostPointerCapture={() => (lastPointer.current = undefined)}
        />
        {(['zoom', 'horizontal', 'vertical'] as const).map((name) => (
          <label key={name} className={styles.range}>
            {t(`content.crop.${name}`)}
            <input
              type="range"
              min={name === 'zoom' ? 1 : 0}
              max={name === 'zoom' ? 4 : 1}
              step={0.01}
              value={crop[name]}
              onChange={({ target }) => setCrop({ ...crop, [name]: Number(target.value) })}
            />
          </label>
        ))}
        <SelectField
          label={t('content.coverFor')}
          value={language}
          options={[
            { value: '', label: t('content.coverForAll') },
            ...languages.map((each) => ({ value: each, label: languageNames[each] })),
          ]}
          onChoose={(value) => setLanguage(languages.find((each) => each === value) ?? '')}
        />
        {scaleOf(picture, crop.zoom) > sharpScale && <p role="status">{t('content.coverTooSmall')}</p>}
        <SheetActions
          action={t('content.useCover')}
          busy={busy}
          onConfirm={() => void save()}
          onCancel={onClose}
        />
      </div>
    </Sheet>
  )
}

const clampShare = (share: number) => Math.min(1, Math.max(0, share))

function scaleOf({ width, height }: Picture, zoom: number): number {
  return Math.max(size.width / width, size.height / height) * zoom
}

/** Returns by how many pixels the image is larger than the cover. */
function overflowOf(picture: Picture, zoom: number): { horizontal: number; vertical: number } {
  const scale = scaleOf(picture, zoom)
  return { horizontal: picture.width * scale - size.width, vertical: picture.height * scale - size.height }
}

function draw(
  canvas: HTMLCanvasElement | null,
  picture: Picture,
  { zoom, horizontal, vertical }: Crop,
): void {
  const scale = scaleOf(picture, zoom)
  const beyond = overflowOf(picture, zoom)
  const place = [-horizontal * beyond.horizontal, -vertical * beyond.vertical] as const
  canvas?.getContext('2d')?.drawImage(picture, ...place, picture.width * scale, picture.height * scale)
}

async function sendCover(path: string, canvas: HTMLCanvasElement | null): Promise<boolean> {
  const blob = await new Promise<Blob | null>((resolve) =>
    canvas ? canvas.toBlob(resolve, 'image/jpeg', 0.92) : resolve(null),
  )
  if (!blob) return false
  const { info } = await uploadImage<object>(path, blob)
  return info !== undefined
}
