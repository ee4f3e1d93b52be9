import { useEffect, useRef, useState, type RefObject } from 'react'

type Reply = { type: 'token'; token: string } | { type: 'invalid' }

export interface CardFrame {
  ref: RefObject<HTMLIFrameElement | null>
  height: number
  ready: boolean
  /** A token for the card in the frame, or null where the frame has marked a field that is to be mended. */
  tokenize(): Promise<string | null>
  /** Marks what is to be mended, and leaves the focus where it is. */
  check(): void
}

/** Speaks with the gateway's frame, which alone sees the card. Messages of any other window or origin are not heard. */
export function useCardFrame(): CardFrame {
  const ref = useRef<HTMLIFrameElement>(null)
  const waiting = useRef<((reply: Reply) => void) | null>(null)
  const [height, setHeight] = useState(210)
  const [ready, setReady] = useState(false)
  useEffect(() => {
    const hear = ({ origin, source, data }: MessageEvent) => {
      if (
        origin !== location.origin ||
        source !== ref.current?.contentWindow ||
        typeof data !== 'object' ||
        !data
      )
        return
      if (data.type === 'ready') setReady(true)
      else if (data.type === 'height' && typeof data.height === 'number') setHeight(data.height)
      else if (data.type === 'token' || data.type === 'invalid') waiting.current?.(data)
    }
    addEventListener('message', hear)
    return () => removeEventListener('message', hear)
  }, [])
  const tokenize = () =>
    new Promise<string | null>((resolve) => {
      waiting.current = (reply) => resolve(reply.type === 'token' ? reply.token : null)
      ref.current?.contentWindow?.postMessage({ type: 'tokenize' }, location.origin)
    })
  const check = () => ref.current?.contentWindow?.postMessage({ type: 'check' }, location.origin)
  return { ref, height, ready, tokenize, check }
}
