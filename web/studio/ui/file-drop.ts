import { useEffect, useRef, useState } from 'react'

/** What is dragged out of another program. A picture of the page itself says that it is a file, too. */
const isForeign = (held: DataTransfer | null, isOurs: boolean): held is DataTransfer =>
  !isOurs && held?.types.includes('Files') === true

/**
 * Takes files that are dropped anywhere on the page.
 * @returns whether some are held over it
 */
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
    // Within the page it only goes from one element to the next.
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

/** Where nothing takes a dropped file, the browser would open it in place of the studio. */
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
