import type { QueryClient } from '@tanstack/react-query'
import card from '#web/features/catalog/card.module.css'
import type { Frame } from '#web/player/engine/storyboard.ts'
import { storyboardQuery } from '#web/player/hooks/storyboard-query.ts'
import styles from './hover-previews.module.css'
import { episodesQuery, playbackQuery } from './queries.ts'

const hoverDelayMs = 400
const frameMs = 700

/**
 * Shows scenes of a video's first playable episode while the mouse rests on the poster. The frames come from the
 * storyboard, which is also shown while seeking. Disabled for touch, reduced motion and data saving.
 * @returns a function that stops the previews
 */
export function startHoverPreviews(queryClient: QueryClient): () => void {
  let link: Element | null = null
  let stopPreview = () => {}
  const onPointerOver = ({ target, pointerType }: PointerEvent) => {
    const hoveredLink = target instanceof Element ? target.closest('a[href^="/videos/"]') : null
    if (hoveredLink === link) return
    stopPreview()
    link = hoveredLink
    const poster = hoveredLink?.querySelector(`.${card.cover}`)
    stopPreview =
      poster && pointerType === 'mouse' && canShowPreviews()
        ? schedulePreview(queryClient, hoveredLink, poster)
        : () => {}
  }
  addEventListener('pointerover', onPointerOver)
  return () => {
    removeEventListener('pointerover', onPointerOver)
    stopPreview()
  }
}

function canShowPreviews(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  return (
    navigator.onLine &&
    connection?.saveData !== true &&
    !matchMedia('(prefers-reduced-motion: reduce)').matches
  )
}

/**
 * Plays the frames after the mouse has rested on the poster for a moment.
 * @returns a function that cancels the preview
 */
function schedulePreview(queryClient: QueryClient, link: Element | null, poster: Element): () => void {
  const abortController = new AbortController()
  const id = /^\/videos\/([^/?]+)/.exec(link?.getAttribute('href') ?? '')?.[1]
  const timer = setTimeout(() => {
    if (!id) return
    // The failed call was already reported; the poster stays.
    fetchFrames(queryClient, decodeURIComponent(id))
      .then((frames) => play(frames, poster, abortController.signal))
      .catch(() => {})
  }, hoverDelayMs)
  return () => {
    clearTimeout(timer)
    abortController.abort()
  }
}

async function fetchFrames(queryClient: QueryClient, videoId: string): Promise<Frame[]> {
  const episodes = await queryClient.ensureQueryData(episodesQuery(videoId))
  const playableEpisode = episodes.find(({ ready, state }) => ready && state !== 'locked')
  if (!playableEpisode) return []
  const playing = await queryClient.fetchQuery(playbackQuery(playableEpisode.id))
  if (playing.kind !== 'playable') return []
  return queryClient.fetchQuery(storyboardQuery(playing.playable.playback.storyboard_url))
}

/** Shows the frames over the poster one after another, scaled so that they cover it. */
async function play(frames: Frame[], poster: Element, signal: AbortSignal): Promise<void> {
  const [first] = frames
  if (!first || frames.length < 2) return
  const sheet = new Image()
  sheet.src = first.url
  await sheet.decode()
  if (signal.aborted) return
  const box = document.createElement('div')
  box.className = styles.preview ?? ''
  const picture = box.appendChild(document.createElement('div'))
  const { width, height } = poster.getBoundingClientRect()
  Object.assign(picture.style, {
    width: `${first.width}px`,
    height: `${first.height}px`,
    scale: String(Math.max(width / first.width, height / first.height)),
    backgroundImage: `url("${first.url}")`,
  })
  let frameIndex = 0
  const show = () => {
    const { x, y } = frames[frameIndex++ % frames.length] ?? first
    picture.style.backgroundPosition = `-${x}px -${y}px`
  }
  show()
  poster.append(box)
  const timer = setInterval(show, frameMs)
  signal.addEventListener('abort', () => (clearInterval(timer), box.remove()))
}
