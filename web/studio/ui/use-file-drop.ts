import { useEffect, useRef, useState } from 'react'

/** Returns whether files are dragged from another program. An image of the page itself is also reported as a file. */
const isExternalFileDrag = (
  dataTransfer: DataTransfer | null,
  isOurs: boolean,
): dataTransfer is DataTransfer => !isOurs && dataTransfer?.types.includes('Files') === true

/** Accepts files that are dropped anywhere on the page. @returns whether files are held over it */
export function useFileDrop(onDrop: (dropped: DataTransfer) => void): boolean {
  const [isOver, setOver] = useState(false)
  const onDropRef = useRef(onDrop)
  useEffect(() => {
    onDropRef.current = onDrop
  })
  useEffect(() => {
    const end = new AbortController()
    const listen = listenTo(end.signal)
    let isInternalDrag = false
    listen('dragstart', () => (isInternalDrag = true))
    listen('dragend', () => (isInternalDrag = false))
    listen('dragover', (event) => {
      if (!isExternalFileDrag(event.dataTransfer, isInternalDrag)) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'copy'
      setOver(true)
    })
    // Within the page the pointer only moves from one element to the next.
    listen('dragleave', ({ relatedTarget }) => relatedTarget === null && setOver(false))
    listen('drop', (event) => {
      setOver(false)
      if (!isExternalFileDrag(event.dataTransfer, isInternalDrag)) return
      event.preventDefault()
      onDropRef.current(event.dataTransfer)
    })
    return () => end.abort()
  }, [])
  return isOver
}

/** Ignores files dropped where nothing accepts them, which the browser would open in place of the studio. */
export function usePreventStrayDrop(): void {
  useEffect(() => {
    const end = new AbortController()
    listenTo(end.signal)('dragover', (event) => {
      if (event.defaultPrevented || !isExternalFileDrag(event.dataTransfer, false)) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'none'
    })
    return () => end.abort()
  }, [])
}

type DragEventType = 'dragstart' | 'dragend' | 'dragover' | 'dragleave' | 'drop'

const listenTo = (signal: AbortSignal) => (moment: DragEventType, listener: (event: DragEvent) => unknown) =>
  window.addEventListener(moment, listener, { signal })
