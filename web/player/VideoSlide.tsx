import { useCallback, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { htmlLanguage, languageOf } from '#contract/languages.ts'
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import { Controls } from './Controls.tsx'
import { useGestures } from './gestures.ts'
import { preferences } from './preferences.ts'
import { usePreferences } from './use-preferences.ts'
import type { Source } from './stream.ts'
import { useCaptions, type Caption } from './use-captions.ts'
import { useCommands, type SlideCommands } from './use-commands.ts'
import { useFade } from './use-fade.ts'
import { useMediaSession } from './use-media-session.ts'
import { usePlayReport } from './use-play-report.ts'
import { usePlaying } from './use-playing.ts'
import { useStream } from './use-stream.ts'
import { followVideo, usePlayState } from './use-video.ts'
import { readVideo, type PlayState, type VideoState } from './video-state.ts'
import styles from './video-slide.module.css'

export interface VideoSlideProps {
  episodeId: string
  source: Source & { captions: Caption[]; storyboard_url: string }
  startMs: number
  active: boolean
  title: string
  subtitle: string
  /** Buttons of the page, above the player's own in the rail. */
  rail: ReactNode
  /** The page's way back, at the top on phones. */
  back: ReactNode
  onDoubleTap: () => void
  register: (commands: SlideCommands | null) => void
  onNext: (() => void) | null
  onPrevious: (() => void) | null
  onShortcuts: () => void
  keepFocus: (controls: Element) => void
  onExpiring: () => void
  whenStill: (run: () => void) => () => void
  onEnded: (episodeId: string) => void
  /** Called several times a second while it plays. */
  onState: (state: VideoState) => void
}

/** One episode in the feed: the picture, its captions, its gestures and, while it is on screen, its controls. */
export function VideoSlide(props: VideoSlideProps) {
  const { episodeId, source, startMs, active, whenStill, onEnded, onState } = props
  const { t } = useTranslation()
  const box = useRef<HTMLDivElement>(null)
  const { stream, rungs, failure, retry } = useStream(source, startMs, active, props.onExpiring)
  const video = stream?.video ?? null
  const state = usePlayState(video)
  const captions = useChosenCaption(source.captions)
  usePlaying(video, active)
  const captionBox = useCaptions(video, captions.shown, captions.htmlLang)
  usePlayReport(video, { episodeId, active, failure })
  const commands = useCommands(video, captions, active ? props.register : null)
  useMediaSession(video, { ...props, poster: source.poster_url, state, commands })
  const { visible, poke } = useFade(!state.paused && !state.ended)
  const [fast, setFast] = useState(false)
  const [liked, setLiked] = useState(0)

  useLayoutEffect(() => {
    if (video) box.current?.prepend(video)
  }, [video])
  useEffect(() => {
    // One that ended before and comes back on screen plays again already, which the state is still to tell.
    if (!active || !state.ended || !video?.ended) return
    let endStillness = () => {}
    const endDialogs = afterDialogs(() => {
      endStillness = whenStill(() => onEnded(episodeId))
    })
    return () => {
      endDialogs()
      endStillness()
    }
  }, [active, state.ended, video, episodeId, whenStill, onEnded])
  useEffect(() => {
    if (active && video) return followVideo(video, () => onState(readVideo(video)))
  }, [active, video, onState])

  const speed = useCallback(
    (on: boolean) => {
      setFast(on)
      if (video) video.playbackRate = on ? 2 : preferences.get().rate
    },
    [video],
  )
  const undoTap = useRef(commands.togglePlay)
  const gestures = useGestures({
    onTap: () => {
      poke()
      // Where the browser silenced the episode, the first tap asks for its sound.
      const isSilenced = preferences.get().silenced && !state.paused
      if (isSilenced) turnOnSound()
      else commands.togglePlay()
      undoTap.current = isSilenced ? () => {} : commands.togglePlay
    },
    onDoubleTap: () => {
      // The first tap has paused what the second one likes.
      undoTap.current()
      setLiked((before) => before + 1)
      props.onDoubleTap()
    },
    onHold: () => speed(true),
    onRelease: () => speed(false),
  })

  return (
    <div className={styles.slide} onPointerMove={poke} onFocus={poke} data-playing={active && !state.paused}>
      <div
        ref={box}
        className={styles.picture}
        style={{ backgroundImage: state.started ? 'none' : `url("${source.poster_url}")` }}
      />
      <div
        ref={captionBox}
        className={styles.captions}
        lang={captions.htmlLang}
        dir="auto"
        aria-hidden="true"
        data-captions=""
      />
      <div className={styles.surface} {...gestures} />
      {liked > 0 && (
        <span key={liked} className={styles.like} aria-hidden="true">
          <Icon name="heart" size={96} />
        </span>
      )}
      {active && failure && (
        <div className={styles.broken}>
          <CouldNotLoad
            text={t(failure === 'unplayable' ? 'player.unplayable' : 'player.broken')}
            onRetry={retry}
          />
        </div>
      )}
      {active && !failure && <Signs state={state} fast={fast} />}
      {active && (
        <Controls
          {...props}
          visible={visible || fast || failure !== null}
          state={state}
          rungs={rungs}
          commands={commands}
          video={video}
          captions={captions}
        />
      )}
    </div>
  )
}

/** Runs at once, or when the sheet that is open is closed: what a person reads is not taken from them. */
function afterDialogs(run: () => void): () => void {
  const dialog = document.querySelector('dialog[open]')
  if (!dialog) {
    run()
    return () => {}
  }
  dialog.addEventListener('close', run, { once: true })
  return () => dialog.removeEventListener('close', run)
}

const turnOnSound = () => preferences.set({ silenced: false, muted: false })

/** What lies over the picture's middle: paused, loading, twice the speed, sound to be tapped for. */
function Signs({ state, fast }: { state: PlayState; fast: boolean }) {
  const { t } = useTranslation()
  const { silenced } = usePreferences()
  return (
    <>
      {state.paused && (
        <span className={state.started ? styles.sign : styles.lateSign} aria-hidden="true">
          <Icon name="play" size={56} />
        </span>
      )}
      {state.waiting && <span className={styles.spinner} role="status" aria-label={t('list.loading')} />}
      <div className={styles.pills}>
        {silenced && !state.paused && (
          <button type="button" className={styles.sound} onClick={turnOnSound}>
            <Icon name="mute" size={20} /> {t('player.soundOn')}
          </button>
        )}
        {fast && <span className={styles.fast}>{t('player.faster')}</span>}
      </div>
    </>
  )
}

export interface ChosenCaption {
  all: Caption[]
  shown: Caption | undefined
  htmlLang: string
}

/** The captions in the chosen language, else the interface's, else English; none if they are turned off. */
function useChosenCaption(all: Caption[]): ChosenCaption {
  const { i18n } = useTranslation()
  const { captions } = usePreferences()
  const find = (lang: string | null | undefined) => all.find((caption) => caption.lang === lang)
  const shown =
    captions === null ? undefined : (find(captions) ?? find(i18n.language) ?? find('en') ?? all[0])
  return { all, shown, htmlLang: htmlLanguage[languageOf(shown?.lang ?? '') ?? 'en'] }
}
