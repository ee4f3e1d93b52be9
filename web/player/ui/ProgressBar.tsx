import { useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useState, type PointerEvent } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { formatClock } from '#web/lib/format.ts'
import { frameAt, type Frame } from '#web/player/engine/storyboard.ts'
import { storyboardQuery } from '#web/player/hooks/storyboard-query.ts'
import { subscribeToVideo } from '#web/player/hooks/use-play-state.ts'
import { readVideo } from '#web/player/engine/video-state.ts'
import styles from './progress-bar.module.css'

interface ProgressBarProps {
  video: HTMLVideoElement | null
  durationMs: number
  /** Whether the bar is visible. A hidden bar is not updated, because each update causes a layout. */
  shown: boolean
  storyboardUrl: string
  onSeek: (ms: number) => void
}

/** The bar moves in this many steps (about two pixels each on a phone), because each step causes a repaint. */
const barSteps = 200

const fraction = (ms: number, durationMs: number) => (durationMs ? Math.min(1, ms / durationMs) : 0)

/** A slider for the position. It grows while it is dragged, and shows a storyboard frame. */
export function ProgressBar(props: ProgressBarProps) {
  const { video, durationMs, shown, storyboardUrl, onSeek } = props
  const { t } = useTranslation()
  const bar = useRef<HTMLDivElement>(null)
  const [hoverMs, setHoverMs] = useState<number | null>(null)
  const [dragging, setDragging] = useState(false)
  // The storyboard is loaded when the pointer is first over the bar.
  const { data: frames = [] } = useQuery({
    ...storyboardQuery(storyboardUrl),
    enabled: hoverMs !== null && storyboardUrl !== '',
  })
  const dragMs = dragging ? hoverMs : null
  const { range, played, buffered, drawnSeconds } = useProgressElements(props, dragMs)
  // A hidden bar shows an old position. A change by a screen reader is relative to that position, so add the time since
  // then.
  const seek = (seconds: number) => {
    const secondsSinceDrawn = shown ? 0 : (video?.currentTime ?? 0) - drawnSeconds.current
    drawnSeconds.current = seconds
    onSeek((seconds + secondsSinceDrawn) * 1000)
  }

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
        <div
          className={styles.preview}
          style={{ left: `clamp(48px, ${fraction(hoverMs, durationMs) * 100}%, calc(100% - 48px))` }}
        >
          <FramePicture frame={frameAt(frames, hoverMs)} />
          {formatClock(hoverMs)}
        </div>
      )}
      <div className={styles.track}>
        <div ref={buffered} className={styles.buffered} />
        <div ref={played} className={styles.played} />
      </div>
      <input
        ref={range}
        type="range"
        className={styles.range}
        min={0}
        max={Math.max(1, Math.round(durationMs / 1000))}
        defaultValue={0}
        aria-label={t('player.progress')}
        onChange={(event) => seek(Number(event.target.value))}
      />
    </div>
  )
}

/** Updates the bar's elements outside React, because they change several times a second. */
function useProgressElements({ video, durationMs, shown }: ProgressBarProps, dragMs: number | null) {
  const { t } = useTranslation()
  const range = useRef<HTMLInputElement>(null)
  const played = useRef<HTMLDivElement>(null)
  const buffered = useRef<HTMLDivElement>(null)
  const drawnSeconds = useRef(0)
  useLayoutEffect(() => {
    const scale = (ms: number) => `${fraction(ms, durationMs)} 1`
    let shownTime = ''
    let drawn = { timeMs: -Infinity, bufferedMs: -Infinity }
    const draw = () => {
      const state = readVideo(video)
      const ms = dragMs ?? state.timeMs
      const time = formatClock(ms)
      if (time !== shownTime) {
        shownTime = time
        range.current?.setAttribute(
          'aria-valuetext',
          t('player.position', { time, total: formatClock(durationMs) }),
        )
        if (shown && range.current) range.current.value = String(Math.floor(ms / 1000))
        if (shown) drawnSeconds.current = Math.floor(ms / 1000)
      }
      if (!shown) return
      const { bufferedMs } = state
      const movedMs = Math.max(Math.abs(ms - drawn.timeMs), Math.abs(bufferedMs - drawn.bufferedMs))
      if (movedMs * barSteps < durationMs) return
      drawn = { timeMs: ms, bufferedMs }
      if (played.current) played.current.style.scale = scale(ms)
      if (buffered.current) buffered.current.style.scale = scale(bufferedMs)
    }
    if (video) return subscribeToVideo(video, draw)
    draw()
  }, [video, durationMs, shown, dragMs, t])
  return { range, played, buffered, drawnSeconds }
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
