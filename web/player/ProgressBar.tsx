import { useQuery } from '@tanstack/react-query'
import { useRef, useState, type PointerEvent } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { clock } from '#web/lib/format.ts'
import { frameAt, type Frame } from './storyboard.ts'
import { storyboardQuery } from './storyboard-query.ts'
import type { VideoState } from './video-state.ts'
import styles from './progress-bar.module.css'

interface ProgressBarProps {
  state: VideoState
  storyboardUrl: string
  onSeek: (ms: number) => void
}

/** The position, as a bar that can be dragged. It widens under the thumb and shows the frame that would be shown. */
export function ProgressBar({ state, storyboardUrl, onSeek }: ProgressBarProps) {
  const { t } = useTranslation()
  const bar = useRef<HTMLDivElement>(null)
  const [hoverMs, setHoverMs] = useState<number | null>(null)
  const [dragging, setDragging] = useState(false)
  // Fetched when it is first wanted.
  const { data: frames = [] } = useQuery({
    ...storyboardQuery(storyboardUrl),
    enabled: hoverMs !== null && storyboardUrl !== '',
  })
  const { durationMs, bufferedMs } = state
  const shownMs = dragging && hoverMs !== null ? hoverMs : state.timeMs
  const part = (ms: number) => `${durationMs ? Math.min(100, (ms / durationMs) * 100) : 0}%`

  const msAt = ({ clientX }: PointerEvent) => {
    const { left, width } = bar.current?.getBoundingClientRect() ?? { left: 0, width: 1 }
    return Math.min(1, Math.max(0, (clientX - left) / width)) * durationMs
  }
  const drag = (event: PointerEvent) => setHoverMs(msAt(event))
  const grab = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    setDragging(true)
    drag(event)
  }
  const drop = (event: PointerEvent) => {
    if (dragging) onSeek(msAt(event))
    setDragging(false)
    setHoverMs(null)
  }
  const leave = () => {
    setDragging(false)
    setHoverMs(null)
  }

  return (
    <div
      ref={bar}
      className={dragging ? `${styles.bar} ${styles.wide}` : styles.bar}
      onPointerDown={grab}
      onPointerMove={drag}
      onPointerUp={drop}
      onPointerCancel={leave}
      onPointerLeave={() => !dragging && leave()}
    >
      {hoverMs !== null && durationMs > 0 && (
        <div className={styles.preview} style={{ left: `clamp(48px, ${part(hoverMs)}, calc(100% - 48px))` }}>
          <FramePicture frame={frameAt(frames, hoverMs)} />
          {clock(hoverMs)}
        </div>
      )}
      <div className={styles.track}>
        <div className={styles.buffered} style={{ width: part(bufferedMs) }} />
        <div className={styles.played} style={{ width: part(shownMs) }} />
      </div>
      <input
        type="range"
        className={styles.range}
        min={0}
        max={Math.max(1, Math.round(durationMs / 1000))}
        value={Math.round(shownMs / 1000)}
        aria-label={t('player.progress')}
        aria-valuetext={t('player.position', { time: clock(shownMs), total: clock(durationMs) })}
        onChange={(event) => onSeek(Number(event.target.value) * 1000)}
      />
    </div>
  )
}

function FramePicture({ frame }: { frame: Frame | undefined }) {
  if (!frame) return null
  const { url, x, y, width, height } = frame
  return (
    <div
      className={styles.frame}
      style={{ width, height, backgroundImage: `url("${url}")`, backgroundPosition: `-${x}px -${y}px` }}
    />
  )
}
