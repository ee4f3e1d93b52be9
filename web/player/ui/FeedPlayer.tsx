import { useCallback, useEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { toggleFullscreen } from './Controls.tsx'
import { Feed, stepFeed } from './Feed.tsx'
import { ShortcutSheet } from './ShortcutSheet.tsx'
import { shortcutFor } from '#web/player/hooks/shortcuts.ts'
import type { SlideCommands } from '#web/player/hooks/use-commands.ts'
import { useWheelSteps } from '#web/player/hooks/use-wheel-steps.ts'
import { whenScrollEnds } from './when-scroll-ends.ts'
import styles from './feed-player.module.css'

export interface SlideTools {
  register: (commands: SlideCommands | null) => void
  onNext: (() => void) | null
  onPrevious: (() => void) | null
  onShortcuts: () => void
  /** Focuses the button in these controls that was focused in the previous slide's controls. */
  restoreFocus: (controls: Element) => void
  /** Runs a function at once or, during a swipe, when the swipe has ended. */
  whenScrollEnds: (run: () => void) => () => void
}

interface FeedPlayerProps {
  count: number
  index: number
  onIndex: (index: number) => void
  /** Returns false if the viewer has already chosen another slide that is not rendered yet. */
  isLatest: () => boolean
  renderSlide: (index: number, tools: SlideTools) => ReactNode
  label: string
}

/** The player: a feed of slides, and keyboard shortcuts for the slide on screen. */
export function FeedPlayer({ count, index, onIndex, isLatest, renderSlide, label }: FeedPlayerProps) {
  const box = useRef<HTMLDivElement>(null)
  const feed = useRef<HTMLDivElement>(null)
  const slideCommands = useRef<SlideCommands | null>(null)
  const [showsShortcuts, setShowsShortcuts] = useState(false)
  const register = useCallback((commands: SlideCommands | null) => {
    slideCommands.current = commands
  }, [])
  const onShortcuts = useCallback(() => setShowsShortcuts(true), [])
  const restoreFocus = useFocusRestore(box)
  const onScrollEnd = useCallback(
    (run: () => void) => (feed.current ? whenScrollEnds(feed.current, run) : () => {}),
    [],
  )
  const step = (by: 1 | -1) => {
    stepFeed(feed.current, by)
    // Scroll events do not fire in the background, where the system's media controls change the episode.
    if (document.hidden) onIndex(index + by)
  }
  useWheelSteps(feed, step)
  const latestStep = useRef(step)
  useEffect(() => {
    latestStep.current = step
  })
  const next = useCallback(() => latestStep.current(1), [])
  const previous = useCallback(() => latestStep.current(-1), [])
  const onNext = index + 1 < count ? next : null
  const onPrevious = index > 0 ? previous : null

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const shortcut = shortcutFor(event)
      if (!shortcut) return
      event.preventDefault()
      shortcut.run({
        togglePlay: () => slideCommands.current?.togglePlay(),
        seekBy: (seconds) => slideCommands.current?.seekBy(seconds),
        toggleMute: () => slideCommands.current?.toggleMute(),
        toggleCaptions: () => slideCommands.current?.toggleCaptions(),
        toggleFullscreen: () =>
          toggleFullscreen(box.current, box.current?.querySelector(':not([inert]) > * video') ?? null),
        next,
        previous,
        showShortcuts: onShortcuts,
      })
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  })

  return (
    <div ref={box} className={styles.stage} data-player="">
      <Feed
        box={feed}
        count={count}
        index={index}
        onIndex={onIndex}
        isLatest={isLatest}
        label={label}
        renderSlide={(i) =>
          renderSlide(i, {
            register,
            onShortcuts,
            onNext,
            onPrevious,
            restoreFocus,
            whenScrollEnds: onScrollEnd,
          })
        }
      />
      {showsShortcuts && <ShortcutSheet onClose={() => setShowsShortcuts(false)} />}
    </div>
  )
}

/** Moves the focus to the same button of the next slide when that slide comes on screen. */
function useFocusRestore(box: RefObject<HTMLElement | null>) {
  const icon = useRef<string>(undefined)
  useEffect(() => {
    const trackFocus = ({ type, target }: Event) => {
      const isInside = type === 'focusin' && target instanceof HTMLElement && box.current?.contains(target)
      icon.current = isInside ? target.dataset['icon'] : undefined
    }
    for (const type of ['focusin', 'pointerdown']) addEventListener(type, trackFocus)
    return () => {
      for (const type of ['focusin', 'pointerdown']) removeEventListener(type, trackFocus)
    }
  }, [box])
  return useCallback((controls: Element) => {
    if (!icon.current) return
    const find = (name: string) => controls.querySelector<HTMLElement>(`[data-icon='${name}']:enabled`)
    const button = find(icon.current) ?? find('pause') ?? find('play')
    // Without `preventScroll`, focusing could scroll the feed back to the previous slide.
    button?.focus({ preventScroll: true })
  }, [])
}
