import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { formatClock, formatPercent } from '#web/lib/format.ts'
import { Icon, type IconName } from '#web/ui/Icon.tsx'
import { preferences } from '#web/player/engine/preferences.ts'
import { usePreferences } from '#web/player/hooks/use-preferences.ts'
import { ProgressBar } from './ProgressBar.tsx'
import type { SlideCommands } from '#web/player/hooks/use-commands.ts'
import { subscribeToVideo } from '#web/player/hooks/use-play-state.ts'
import type { PlayState } from '#web/player/engine/video-state.ts'
import type { ChosenCaption } from '#web/player/hooks/use-chosen-caption.ts'
import type { VideoSlideProps } from './video-slide-props.ts'
import styles from './controls.module.css'

const preloadSettingsAfterMs = 3000
const importSettings = () => import('./SettingsSheet.tsx')
const SettingsSheet = lazy(async () => ({ default: (await importSettings()).SettingsSheet }))

interface ControlsProps extends VideoSlideProps {
  visible: boolean
  state: PlayState
  renditions: number[]
  commands: SlideCommands
  video: HTMLVideoElement | null
  captions: ChosenCaption
}

export function Controls(props: ControlsProps) {
  const { t } = useTranslation()
  const { visible, state, commands, captions, renditions, video } = props
  const [open, setOpen] = useState(false)
  const [focused, setFocused] = useState(false)
  const shown = visible || open || focused
  const box = useRef<HTMLDivElement>(null)
  const { restoreFocus } = props
  useEffect(() => {
    if (box.current) restoreFocus(box.current)
  }, [restoreFocus])
  // Preloads the settings menu, so that it also opens offline. Delayed, so that it does not slow down a quick swipe.
  useEffect(() => {
    const timer = setTimeout(() => void importSettings().catch(() => {}), preloadSettingsAfterMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div
      ref={box}
      className={styles.controls}
      data-visible={visible || open}
      onFocus={() => setFocused(true)}
      // When the window loses the focus, `activeElement` is still one of the controls, so they stay visible.
      onBlur={({ currentTarget }) => setFocused(currentTarget.contains(document.activeElement))}
    >
      <div className={styles.top}>
        {props.back}
        <ControlButton icon="settings" label={t('player.settings')} onClick={() => setOpen(true)} />
      </div>
      <div className={styles.rail}>
        {props.rail}
        {captions.all.length > 0 && (
          <ControlButton
            icon="captions"
            label={t('player.captions')}
            pressed={captions.shown !== undefined}
            onClick={commands.toggleCaptions}
          />
        )}
        <VolumeControl onToggle={commands.toggleMute} />
      </div>
      <div className={styles.foot}>
        <p className={styles.title}>{props.title}</p>
        <p className={styles.subtitle}>{props.subtitle}</p>
        <ProgressBar
          video={video}
          durationMs={state.durationMs}
          shown={shown}
          storyboardUrl={props.source.storyboard_url}
          onSeek={commands.seekTo}
        />
        <div className={styles.row}>
          <ControlButton icon="previous" label={t('player.previous')} onClick={props.onPrevious} />
          <ControlButton
            icon={state.paused ? 'play' : 'pause'}
            label={state.paused ? t('player.play') : t('player.pause')}
            onClick={commands.togglePlay}
          />
          <ControlButton icon="next" label={t('player.next')} onClick={props.onNext} />
          <PlaybackTime video={video} durationMs={state.durationMs} shown={shown} />
          {canFullscreen(video) && (
            <ControlButton
              icon="expand"
              label={t('player.fullscreen')}
              onClick={() => toggleFullscreen(video, video)}
            />
          )}
        </div>
      </div>
      {open && (
        <Suspense>
          <SettingsSheet
            renditions={renditions}
            captions={captions}
            video={video}
            onShortcuts={props.onShortcuts}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </div>
  )
}

/** A button for the sound and, on devices with a mouse, a volume slider. */
function VolumeControl({ onToggle }: { onToggle: () => void }) {
  const { t } = useTranslation()
  const { muted, mutedByBrowser, volume } = usePreferences()
  const isMuted = muted || mutedByBrowser
  // Sets `muted` instead of volume 0, so that the button restores the previous volume.
  const setVolume = (chosen: number) =>
    preferences.set(chosen === 0 ? { muted: true } : { volume: chosen, muted: false, mutedByBrowser: false })
  const shown = isMuted ? 0 : Math.round(volume * 100)
  return (
    <div className={styles.sound}>
      <div className={styles.volume}>
        <input
          type="range"
          aria-label={t('player.volume')}
          aria-valuetext={formatPercent(shown)}
          max={100}
          step={5}
          value={shown}
          onChange={({ target }) => setVolume(target.valueAsNumber / 100)}
        />
      </div>
      <ControlButton
        icon={isMuted ? 'mute' : 'sound'}
        label={isMuted ? t('player.unmute') : t('player.mute')}
        onClick={onToggle}
      />
    </div>
  )
}

/** Shows position and duration. Updates the text outside React, and only while it is visible. */
function PlaybackTime({
  video,
  durationMs,
  shown,
}: {
  video: HTMLVideoElement | null
  durationMs: number
  shown: boolean
}) {
  const line = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const draw = () => {
      const text = `${formatClock((video?.currentTime ?? 0) * 1000)} / ${formatClock(durationMs)}`
      if (line.current && line.current.textContent !== text) line.current.textContent = text
    }
    draw()
    if (video && shown) return subscribeToVideo(video, draw)
  }, [video, durationMs, shown])
  return <span ref={line} className={styles.time} />
}

/**
 * `webkitEnterFullscreen` exists only on iPhones. Full screen there shows the video alone, with the system's controls
 * and captions.
 */
declare global {
  interface HTMLVideoElement {
    webkitEnterFullscreen?(): void
  }
}

const canFullscreen = (video: HTMLVideoElement | null) =>
  document.fullscreenEnabled || video?.webkitEnterFullscreen !== undefined

/** Enters or leaves full screen: with the whole player or, on an iPhone, with the video alone. */
export function toggleFullscreen(element: Element | null, video: HTMLVideoElement | null): void {
  if (document.fullscreenElement) void document.exitFullscreen()
  else if (!document.fullscreenEnabled) video?.webkitEnterFullscreen?.()
  else
    void element
      ?.closest('[data-player]')
      ?.requestFullscreen()
      .catch(() => {})
}

interface ControlButtonProps {
  icon: IconName
  label: string
  pressed?: boolean
  /** A count or label below the icon. */
  note?: string
  onClick: (() => void) | null
}

/** A round button of the player; disabled if `onClick` is null. */
export function ControlButton({ icon, label, pressed, note, onClick }: ControlButtonProps) {
  return (
    <button
      type="button"
      className={styles.tool}
      // Voice control requires that the accessible name contains the visible text.
      aria-label={note === undefined || note === label ? label : `${label}, ${note}`}
      title={label}
      aria-pressed={pressed}
      data-icon={icon}
      disabled={!onClick}
      onClick={onClick ?? undefined}
    >
      <Icon name={icon} size={26} />
      {note !== undefined && <span className={styles.note}>{note}</span>}
    </button>
  )
}
