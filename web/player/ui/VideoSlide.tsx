import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import { Controls } from './Controls.tsx'
import { useGestures } from '#web/player/hooks/use-gestures.ts'
import { preferences } from '#web/player/engine/preferences.ts'
import { usePreferences } from '#web/player/hooks/use-preferences.ts'
import { useCaptions } from '#web/player/hooks/use-captions.ts'
import { useChosenCaption } from '#web/player/hooks/use-chosen-caption.ts'
import { useCommands } from '#web/player/hooks/use-commands.ts'
import { useAutoHide } from '#web/player/hooks/use-auto-hide.ts'
import { useMediaSession } from '#web/player/hooks/use-media-session.ts'
import { usePlaybackMetrics } from '#web/player/hooks/use-playback-metrics.ts'
import { usePlayWhileActive } from '#web/player/hooks/use-play-while-active.ts'
import { useStream } from '#web/player/hooks/use-stream.ts'
import { subscribeToVideo, usePlayState } from '#web/player/hooks/use-play-state.ts'
import { readVideo, type PlayState } from '#web/player/engine/video-state.ts'
import type { VideoSlideProps } from './video-slide-props.ts'
import styles from './video-slide.module.css'

/** One episode in the feed: the video, its captions, its gestures and, while it is on screen, its controls. */
export function VideoSlide(props: VideoSlideProps) {
  const { episodeId, source, startMs, active, whenScrollEnds, onEnded, onState } = props
  const { t } = useTranslation()
  const box = useRef<HTMLDivElement>(null)
  const { stream, renditions, failure, retry } = useStream(source, startMs, active, props.onExpiring)
  const video = stream?.video ?? null
  const state = usePlayState(video)
  const captions = useChosenCaption(source.captions)
  usePlayWhileActive(video, active)
  const captionBox = useCaptions(video, captions.shown, captions.htmlLang)
  usePlaybackMetrics(video, { episodeId, active, failure })
  const commands = useCommands(video, captions, active ? props.register : null)
  useMediaSession(video, { ...props, poster: source.poster_url, state, commands })
  const { visible, showControls } = useAutoHide(!state.paused && !state.ended)
  const [fast, setFast] = useState(false)
  const [likeCount, setLikeCount] = useState(0)

  useLayoutEffect(() => {
    if (video) box.current?.prepend(video)
  }, [video])
  useEffect(() => {
    // When an ended episode comes back on screen, the element already plays again while `state` still says that it
    // ended.
    if (!active || !state.ended || !video?.ended) return
    let cancelScrollWait = () => {}
    const cancelDialogWait = whenDialogCloses(() => {
      cancelScrollWait = whenScrollEnds(() => onEnded(episodeId))
    })
    return () => {
      cancelDialogWait()
      cancelScrollWait()
    }
  }, [active, state.ended, video, episodeId, whenScrollEnds, onEnded])
  useEffect(() => {
    if (active && video) return subscribeToVideo(video, () => onState(readVideo(video)))
  }, [active, video, onState])

  const setDoubleSpeed = useCallback(
    (on: boolean) => {
      setFast(on)
      if (video) video.playbackRate = on ? 2 : preferences.get().rate
    },
    [video],
  )
  const undoTap = useRef(commands.togglePlay)
  const gestures = useGestures({
    onTap: () => {
      showControls()
      // If the browser muted the episode, the first tap turns the sound on.
      const isSilenced = preferences.get().mutedByBrowser && !state.paused
      if (isSilenced) unmute()
      else commands.togglePlay()
      undoTap.current = isSilenced ? () => {} : commands.togglePlay
    },
    onDoubleTap: () => {
      // The first tap of the double tap was already handled, so undo it.
      undoTap.current()
      setLikeCount((before) => before + 1)
      props.onDoubleTap()
    },
    onHold: () => setDoubleSpeed(true),
    onRelease: () => setDoubleSpeed(false),
  })

  return (
    <div
      className={styles.slide}
      onPointerMove={showControls}
      onFocus={showControls}
      data-playing={active && !state.paused}
    >
      <div
        ref={box}
        className={styles.picture}
        style={{ backgroundImage: state.started ? 'none' : `url("${source.poster_url}")` }}
      />
      <div
        ref={captionBox}
        className={styles.captions}
        lang={captions.htmlLang}
        aria-hidden="true"
        data-captions=""
      />
      <div className={styles.surface} {...gestures} />
      {likeCount > 0 && (
        <span key={likeCount} className={styles.like} aria-hidden="true">
          <Icon name="heart" size={96} />
        </span>
      )}
      {active && failure && (
        <div className={styles.broken}>
          <LoadError
            text={t(failure === 'unplayable' ? 'player.unsupported' : 'player.playbackFailed')}
            onRetry={retry}
          />
        </div>
      )}
      {active && !failure && <StatusOverlays state={state} fast={fast} />}
      {active && (
        <Controls
          {...props}
          visible={visible || fast || failure !== null}
          state={state}
          renditions={renditions}
          commands={commands}
          video={video}
          captions={captions}
        />
      )}
    </div>
  )
}

/**
 * Runs a function at once or, if a dialog is open, when all dialogs are closed. The next episode must not interrupt a
 * user in a dialog. Observes the document, because a dialog that is removed while it is open fires no `close` event.
 */
function whenDialogCloses(run: () => void): () => void {
  const check = () => {
    if (document.querySelector('dialog[open]')) return
    observer.disconnect()
    run()
  }
  const observer = new MutationObserver(check)
  observer.observe(document, { subtree: true, childList: true, attributeFilter: ['open'] })
  check()
  return () => observer.disconnect()
}

const unmute = () => preferences.set({ mutedByBrowser: false, muted: false })

/** Overlays in the middle of the video: paused, loading, double speed, tap for sound. */
function StatusOverlays({ state, fast }: { state: PlayState; fast: boolean }) {
  const { t } = useTranslation()
  const { mutedByBrowser } = usePreferences()
  return (
    <>
      {state.paused && (
        <span className={state.started ? styles.sign : styles.lateSign} aria-hidden="true">
          <Icon name="play" size={56} />
        </span>
      )}
      {state.waiting && <span className={styles.spinner} role="status" aria-label={t('list.loading')} />}
      <div className={styles.pills}>
        {mutedByBrowser && !state.paused && (
          <button type="button" className={styles.sound} onClick={unmute}>
            <Icon name="mute" size={20} /> {t('player.soundOn')}
          </button>
        )}
        {fast && <span className={styles.fast}>{t('player.doubleSpeed')}</span>}
      </div>
    </>
  )
}
