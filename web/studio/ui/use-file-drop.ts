import { useEffect, useRef, useState } from 'react'

/**
 * Returns whether files are dragged from another program. Browsers also report a dragged image of the page itself as a
 * file.
 */
const isExternalFileDrag = (
  dataTransfer: DataTransfer | null,
  isOurs: boolean,
): dataTransfer is DataTransfer => !isOurs && dataTransfer?.types.includes('Files') === true

/** Accepts files that are dropped anywhere on the page. @returns whether files are being dragged over the page */
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
    // `relatedTarget` is null only if the pointer leaves the page. Otherwise it only moves to another element.
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

/**
 * Ignores files that are dropped where nothing accepts them. The browser would open such a file instead of the studio.
 */
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
