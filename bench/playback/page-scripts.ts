/** Results that these scripts store in the page. Times are in milliseconds. */
declare global {
  interface Window {
    firstFrame?: number
    swiped?: { covered?: number; newFrame?: number }
    /** Time from the key press to the first frame of another video. bare-page.html sets it too. */
    switched?: number
    /** Number of stalls after a video has started. */
    stalls?: number
  }
}

/** Runs in the page: measures when any video shows its first frame. Bare pages have their own code for this. */
export function recordFirstFrame(): void {
  const create = document.createElement.bind(document)
  document.createElement = (...args: Parameters<typeof create>) => {
    const element = create(...args)
    if (element instanceof HTMLVideoElement) {
      const note = () => {
        if (element.isConnected) window.firstFrame ??= performance.now()
        else element.requestVideoFrameCallback(note)
      }
      element.requestVideoFrameCallback(note)
    }
    return element
  }
  // Also measures the video in the HTML document, which is not made by `createElement` and may play before the document
  // is loaded.
  addEventListener(
    'loadstart',
    ({ target }) => {
      if (target instanceof HTMLVideoElement)
        target.requestVideoFrameCallback(() => (window.firstFrame ??= performance.now()))
    },
    true,
  )
}

/** Runs in the page: returns true if a video plays on screen and the video below it can play immediately. */
export function nextIsPrepared(): boolean {
  const videos = [...document.querySelectorAll('video')]
  const top = (video: HTMLVideoElement) => video.getBoundingClientRect().top
  const shown = videos.find((video) => Math.abs(top(video)) < innerHeight / 2)
  const next = videos.find((video) => top(video) > innerHeight / 2)
  if (!shown || !next || shown.paused || shown.currentTime < 0.5) return false
  return next.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA
}

/**
 * Runs in the page: plays the video below the one on screen directly, without the page's code. Returns the time to its
 * next frame.
 */
export function startNextEpisode(): Promise<number> {
  const next = [...document.querySelectorAll('video')].find(
    (video) => video.getBoundingClientRect().top > innerHeight / 2,
  )
  const startedAt = performance.now()
  return new Promise((resolve) => {
    next?.requestVideoFrameCallback(() => resolve(performance.now() - startedAt))
    void next?.play()
  })
}

/**
 * Runs in the page: measures the time from the next key press until the video below the one on screen covers the middle
 * of the screen, and until it shows a new frame.
 */
export function recordSwipe(): void {
  const next = [...document.querySelectorAll('video')].find(
    (video) => video.getBoundingClientRect().top > innerHeight / 2,
  )
  const swiped: NonNullable<Window['swiped']> = {}
  window.swiped = swiped
  const begin = ({ timeStamp }: KeyboardEvent) => {
    const poll = () => {
      const { top, bottom } = next?.getBoundingClientRect() ?? { top: 1, bottom: 0 }
      const middle = innerHeight / 2
      if (top <= middle && bottom >= middle && (next?.readyState ?? 0) >= 2)
        swiped.covered = performance.now() - timeStamp
      else requestAnimationFrame(poll)
    }
    requestAnimationFrame(poll)
    next?.requestVideoFrameCallback(() => (swiped.newFrame = performance.now() - timeStamp))
  }
  addEventListener('keydown', begin, { once: true, capture: true })
}

/**
 * Runs in the page: measures the time from the next key press until another video shows a frame in the middle of the
 * screen.
 */
export function recordVideoSwitch(): void {
  const shown = () =>
    [...document.querySelectorAll('video')].find((video) => {
      const { top, bottom } = video.getBoundingClientRect()
      return top <= innerHeight / 2 && bottom >= innerHeight / 2
    })
  const before = shown()
  const begin = ({ timeStamp }: KeyboardEvent) => {
    const poll = () => {
      const now = shown()
      if (!now || now === before) requestAnimationFrame(poll)
      else if (now.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA)
        window.switched = performance.now() - timeStamp
      else now.requestVideoFrameCallback(() => (window.switched = performance.now() - timeStamp))
    }
    poll()
  }
  addEventListener('keydown', begin, { once: true, capture: true })
}

/** Runs in the page: counts the stalls of videos that have started. */
export function countStalls(): void {
  window.stalls = 0
  const count = ({ target }: Event) => {
    const wasMoving = target instanceof HTMLVideoElement && target.currentTime > 0.1 && !target.ended
    if (wasMoving && !target.seeking) window.stalls = (window.stalls ?? 0) + 1
  }
  addEventListener('waiting', count, true)
}

/** Runs in the page: keeps the controls visible by focusing a button, as for users of a keyboard. */
export function showControls(): void {
  const buttons = [...document.querySelectorAll<HTMLElement>('[data-player] [data-icon=pause]')]
  buttons.find((button) => !button.closest('[inert]'))?.focus()
}
