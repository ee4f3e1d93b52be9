import { useEffect, useRef, useState } from 'react'

/** Returns whether files are dragged from another program. An image of the page itself is also reported as a file. */
const isForeign = (held: DataTransfer | null, isOurs: boolean): held is DataTransfer =>
  !isOurs && held?.types.includes('Files') === true

/** Accepts files that are dropped anywhere on the page. @returns whether files are held over it */
export function useFileDrop(onDrop: (dropped: DataTransfer) => void): boolean {
  const [isOver, setOver] = useState(false)
  const take = useRef(onDrop)
  useEffect(() => {
    take.current = onDrop
  })
  useEffect(() => {
    const end = new AbortController()
    const listen = listenTo(end.signal)
    let isOurs = false
    listen('dragstart', () => (isOurs = true))
    listen('dragend', () => (isOurs = false))
    listen('dragover', (event) => {
      if (!isForeign(event.dataTransfer, isOurs)) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'copy'
      setOver(true)
    })
    // Within the page the pointer only moves from one element to the next.
    listen('dragleave', ({ relatedTarget }) => relatedTarget === null && setOver(false))
    listen('drop', (event) => {
      setOver(false)
      if (!isForeign(event.dataTransfer, isOurs)) return
      event.preventDefault()
      take.current(event.dataTransfer)
    })
    return () => end.abort()
  }, [])
  return isOver
}

/** Ignores files dropped where nothing accepts them, which the browser would open in place of the studio. */
export function useNoStrayDrop(): void {
  useEffect(() => {
    const end = new AbortController()
    listenTo(end.signal)('dragover', (event) => {
      if (event.defaultPrevented || !isForeign(event.dataTransfer, false)) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'none'
    })
    return () => end.abort()
  }, [])
}

type Moment = 'dragstart' | 'dragend' | 'dragover' | 'dragleave' | 'drop'

const listenTo = (signal: AbortSignal) => (moment: Moment, listener: (event: DragEvent) => unknown) =>
  window.addEventListener(moment, listener, { signal })
