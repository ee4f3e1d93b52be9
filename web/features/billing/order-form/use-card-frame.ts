import { useEffect, useRef, useState, type RefObject } from 'react'
import type { CardEntry } from '#web/features/billing/payments/card-entry.ts'

type Reply = { type: 'token'; token: string } | { type: 'invalid' }
type Waiting = { current: ((reply: Reply) => void) | null }

/** Exchanges messages with the gateway's frame, the only one that sees the card. Ignores other windows and origins. */
export function useCardFrame(onEntry: (entry: CardEntry | null) => void) {
  const ref = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(210)
  useEffect(() => {
    const waiting: Waiting = { current: null }
    const hear = ({ origin, source, data }: MessageEvent) => {
      if (
        origin !== location.origin ||
        source !== ref.current?.contentWindow ||
        typeof data !== 'object' ||
        !data
      )
        return
      if (data.type === 'ready') onEntry(entryOf(ref, waiting))
      else if (data.type === 'height' && typeof data.height === 'number') setHeight(data.height)
      else if (data.type === 'token' || data.type === 'invalid') waiting.current?.(data)
    }
    addEventListener('message', hear)
    return () => removeEventListener('message', hear)
  }, [onEntry])
  return { ref, height }
}

function entryOf(frame: RefObject<HTMLIFrameElement | null>, waiting: Waiting): CardEntry {
  const post = (type: string) => frame.current?.contentWindow?.postMessage({ type }, location.origin)
  const tokenize = () =>
    new Promise<string | null>((resolve) => {
      waiting.current = (reply) => resolve(reply.type === 'token' ? reply.token : null)
      post('tokenize')
    })
  return {
    check(goThere) {
      // The frame checks its fields itself before it creates a token.
      if (!goThere) post('check')
      return true
    },
    async give(purpose, details) {
      const token = await tokenize()
      return token === null ? null : purpose.send(token, details)
    },
  }
}
