import type { QueryClient } from '@tanstack/react-query'
import card from '#web/features/catalog/card.module.css'
import type { Frame } from '#web/player/engine/storyboard.ts'
import { storyboardQuery } from '#web/player/hooks/storyboard-query.ts'
import styles from './hover-previews.module.css'
import { episodesQuery, playingQuery } from './queries.ts'

const restMs = 400
const frameMs = 700

/**
 * Shows scenes of the first free episode when the mouse rests on a poster, from the storyboard that seeking uses. Disabled for
 * touch, reduced motion and data saving.
 * @returns a function that stops the previews
 */
export function startHoverPreviews(queryClient: QueryClient): () => void {
  let link: Element | null = null
  let leave = () => {}
  const over = ({ target, pointerType }: PointerEvent) => {
    const now = target instanceof Element ? target.closest('a[href^="/videos/"]') : null
    if (now === link) return
    leave()
    link = now
    const poster = now?.querySelector(`.${card.cover}`)
    leave = poster && pointerType === 'mouse' && isWelcome() ? rest(queryClient, now, poster) : () => {}
  }
  addEventListener('pointerover', over)
  return () => {
    removeEventListener('pointerover', over)
    leave()
  }
}

function isWelcome(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  return (
    navigator.onLine &&
    connection?.saveData !== true &&
    !matchMedia('(prefers-reduced-motion: reduce)').matches
  )
}

/** Waits for the mouse to rest on the poster, then plays the frames until it leaves. */
function rest(queryClient: QueryClient, link: Element | null, poster: Element): () => void {
  const left = new AbortController()
  const id = /^\/videos\/([^/?]+)/.exec(link?.getAttribute('href') ?? '')?.[1]
  const timer = setTimeout(() => {
    if (!id) return
    // The call has reported the failure; the poster stays.
    framesOf(queryClient, decodeURIComponent(id))
      .then((frames) => play(frames, poster, left.signal))
      .catch(() => {})
  }, restMs)
  return () => {
    clearTimeout(timer)
    left.abort()
  }
}

async function framesOf(queryClient: QueryClient, videoId: string): Promise<Frame[]> {
  const episodes = await queryClient.ensureQueryData(episodesQuery(videoId))
  const open = episodes.find(({ ready, state }) => ready && state !== 'locked')
  if (!open) return []
  const playing = await queryClient.fetchQuery(playingQuery(open.id))
  if (playing.kind !== 'playable') return []
  return queryClient.fetchQuery(storyboardQuery(playing.playable.playback.storyboard_url))
}

/** Shows the frames over the poster one after another, scaled to cover it. */
async function play(frames: Frame[], poster: Element, until: AbortSignal): Promise<void> {
  const [first] = frames
  if (!first || frames.length < 2) return
  const sheet = new Image()
  sheet.src = first.url
  await sheet.decode()
  if (until.aborted) return
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
  let at = 0
  const show = () => {
    const { x, y } = frames[at++ % frames.length] ?? first
    picture.style.backgroundPosition = `-${x}px -${y}px`
  }
  show()
  poster.append(box)
  const timer = setInterval(show, frameMs)
  until.addEventListener('abort', () => (clearInterval(timer), box.remove()))
}
