import { useEffect, useRef, useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { clock } from '#web/lib/format.ts'
import { Icon, type IconName } from '#web/ui/Icon.tsx'
import { usePreferences } from './use-preferences.ts'
import { ProgressBar } from './ProgressBar.tsx'
import { SettingsSheet } from './SettingsSheet.tsx'
import type { SlideCommands } from './use-commands.ts'
import type { VideoState } from './video-state.ts'
import type { ChosenCaption, VideoSlideProps } from './VideoSlide.tsx'
import styles from './controls.module.css'

interface ControlsProps extends VideoSlideProps {
  visible: boolean
  state: VideoState
  rungs: number[]
  commands: SlideCommands
  video: HTMLVideoElement | null
  captions: ChosenCaption
}

export function Controls(props: ControlsProps) {
  const { t } = useTranslation()
  const { visible, state, commands, captions, rungs, video } = props
  const { muted, silenced } = usePreferences()
  const [open, setOpen] = useState(false)
  const quiet = muted || silenced
  const box = useRef<HTMLDivElement>(null)
  const { keepFocus } = props
  useEffect(() => {
    if (box.current) keepFocus(box.current)
  }, [keepFocus])
  return (
    <div ref={box} className={styles.controls} data-visible={visible || open}>
      <div className={styles.top}>
        {props.back}
        <Tool icon="settings" label={t('player.settings')} onClick={() => setOpen(true)} />
      </div>
      <div className={styles.rail}>
        {props.rail}
        {captions.all.length > 0 && (
          <Tool
            icon="captions"
            label={t('player.captions')}
            pressed={captions.shown !== undefined}
            onClick={commands.toggleCaptions}
          />
        )}
        <Tool
          icon={quiet ? 'mute' : 'sound'}
          label={quiet ? t('player.unmute') : t('player.mute')}
          onClick={commands.toggleMute}
        />
      </div>
      <div className={styles.foot}>
        <p className={styles.title}>{props.title}</p>
        <p className={styles.subtitle}>{props.subtitle}</p>
        <ProgressBar state={state} storyboardUrl={props.source.storyboard_url} onSeek={commands.seekTo} />
        <div className={styles.row}>
          <Tool icon="previous" label={t('player.previous')} onClick={props.onPrevious} />
          <Tool
            icon={state.paused ? 'play' : 'pause'}
            label={state.paused ? t('player.play') : t('player.pause')}
            onClick={commands.togglePlay}
          />
          <Tool icon="next" label={t('player.next')} onClick={props.onNext} />
          <span className={styles.time}>{`${clock(state.timeMs)} / ${clock(state.durationMs)}`}</span>
          {canFill(video) && (
            <Tool
              icon="expand"
              label={t('player.fullscreen')}
              onClick={() => toggleFullscreen(video, video)}
            />
          )}
        </div>
      </div>
      {open && (
        <SettingsSheet
          rungs={rungs}
          captions={captions}
          video={video}
          onShortcuts={props.onShortcuts}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  )
}

/** Only an iPhone's videos have it, which fill the screen alone, with the system's controls and captions. */
declare global {
  interface HTMLVideoElement {
    webkitEnterFullscreen?(): void
  }
}

const canFill = (video: HTMLVideoElement | null) =>
  document.fullscreenEnabled || video?.webkitEnterFullscreen !== undefined

/** Fills the screen with the player, controls and all, or comes back; on an iPhone with the video. */
export function toggleFullscreen(inside: Element | null, video: HTMLVideoElement | null): void {
  if (document.fullscreenElement) void document.exitFullscreen()
  else if (!document.fullscreenEnabled) video?.webkitEnterFullscreen?.()
  else
    void inside
      ?.closest('[data-player]')
      ?.requestFullscreen()
      .catch(() => {})
}

/** A round button of the player; without `onClick` there is nothing to do, and it says so. */
export function Tool({
  icon,
  label,
  pressed,
  onClick,
}: {
  icon: IconName
  label: string
  pressed?: boolean
  onClick: (() => void) | null
}) {
  return (
    <button
      type="button"
      className={styles.tool}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      data-icon={icon}
      disabled={!onClick}
      onClick={onClick ?? undefined}
    >
      <Icon name={icon} size={26} />
    </button>
  )
}
