import { useCallback, useEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { toggleFullscreen } from './Controls.tsx'
import { Feed, stepFeed } from './Feed.tsx'
import { ShortcutSheet } from './ShortcutSheet.tsx'
import { shortcutFor } from '#web/player/hooks/shortcuts.ts'
import type { SlideCommands } from '#web/player/hooks/use-commands.ts'
import { useWheelSteps } from '#web/player/hooks/use-wheel-steps.ts'
import { whenScrollEnds } from './when-scroll-ends.ts'
import styles from './stage.module.css'

export interface SlideTools {
  register: (commands: SlideCommands | null) => void
  onNext: (() => void) | null
  onPrevious: (() => void) | null
  onShortcuts: () => void
  /** Moves the focus from a button of the previous slide to the same button in these controls. */
  keepFocus: (controls: Element) => void
  /** Runs at once, or when the swipe has ended. */
  whenScrollEnds: (run: () => void) => () => void
}

interface StageProps {
  count: number
  index: number
  onIndex: (index: number) => void
  /** Returns false if another slide was chosen after this one and is still being rendered. */
  isLatest: () => boolean
  renderSlide: (index: number, tools: SlideTools) => ReactNode
  label: string
}

/** The player: a feed of slides, and keyboard shortcuts for the one on screen. */
export function Stage({ count, index, onIndex, isLatest, renderSlide, label }: StageProps) {
  const box = useRef<HTMLDivElement>(null)
  const feed = useRef<HTMLDivElement>(null)
  const slide = useRef<SlideCommands | null>(null)
  const [help, setHelp] = useState(false)
  const register = useCallback((commands: SlideCommands | null) => {
    slide.current = commands
  }, [])
  const onShortcuts = useCallback(() => setHelp(true), [])
  const keepFocus = useFocusAcross(box)
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
  const latest = useRef(step)
  useEffect(() => {
    latest.current = step
  })
  const next = useCallback(() => latest.current(1), [])
  const previous = useCallback(() => latest.current(-1), [])
  const onNext = index + 1 < count ? next : null
  const onPrevious = index > 0 ? previous : null

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const shortcut = shortcutFor(event)
      if (!shortcut) return
      event.preventDefault()
      shortcut.run({
        togglePlay: () => slide.current?.togglePlay(),
        seekBy: (seconds) => slide.current?.seekBy(seconds),
        toggleMute: () => slide.current?.toggleMute(),
        toggleCaptions: () => slide.current?.toggleCaptions(),
        toggleFullscreen: () =>
          toggleFullscreen(box.current, box.current?.querySelector(':not([inert]) > * video') ?? null),
        next,
        previous,
        showShortcuts: onShortcuts,
      })
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
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
            keepFocus,
            whenScrollEnds: onScrollEnd,
          })
        }
      />
      {help && <ShortcutSheet onClose={() => setHelp(false)} />}
    </div>
  )
}

/** Keeps the focus on the same button when the next slide replaces the one that had it. */
function useFocusAcross(box: RefObject<HTMLElement | null>) {
  const icon = useRef<string>(undefined)
  useEffect(() => {
    const follow = ({ type, target }: Event) => {
      const within = type === 'focusin' && target instanceof HTMLElement && box.current?.contains(target)
      icon.current = within ? target.dataset['icon'] : undefined
    }
    for (const type of ['focusin', 'pointerdown']) addEventListener(type, follow)
    return () => {
      for (const type of ['focusin', 'pointerdown']) removeEventListener(type, follow)
    }
  }, [box])
  return useCallback((controls: Element) => {
    if (!icon.current) return
    const find = (name: string) => controls.querySelector<HTMLElement>(`[data-icon='${name}']:enabled`)
    const button = find(icon.current) ?? find('pause') ?? find('play')
    // The previous slide must not scroll back into view.
    button?.focus({ preventScroll: true })
  }, [])
}
