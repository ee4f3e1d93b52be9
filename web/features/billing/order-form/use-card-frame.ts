import { useEffect, useRef, useState, type RefObject } from 'react'
import type { CardEntry } from '#web/features/billing/payments/card-entry.ts'

type Reply = { type: 'token'; token: string } | { type: 'invalid' }
type PendingReply = { current: ((reply: Reply) => void) | null }

/**
 * Exchanges messages with the gateway's frame, the only document that sees the card. Ignores messages of other windows
 * and origins.
 */
export function useCardFrame(onEntry: (entry: CardEntry | null) => void) {
  const ref = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(210)
  useEffect(() => {
    const pendingReply: PendingReply = { current: null }
    const onMessage = ({ origin, source, data }: MessageEvent) => {
      if (
        origin !== location.origin ||
        source !== ref.current?.contentWindow ||
        typeof data !== 'object' ||
        !data
      )
        return
      if (data.type === 'ready') onEntry(createCardEntry(ref, pendingReply))
      else if (data.type === 'height' && typeof data.height === 'number') setHeight(data.height)
      else if (data.type === 'token' || data.type === 'invalid') pendingReply.current?.(data)
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [onEntry])
  return { ref, height }
}

function createCardEntry(frame: RefObject<HTMLIFrameElement | null>, pendingReply: PendingReply): CardEntry {
  const post = (type: string) => frame.current?.contentWindow?.postMessage({ type }, location.origin)
  const tokenize = () =>
    new Promise<string | null>((resolve) => {
      pendingReply.current = (reply) => resolve(reply.type === 'token' ? reply.token : null)
      post('tokenize')
    })
  return {
    check(focusFirst) {
      // If `focusFirst` is true, the form is sent next, and the frame then checks its fields before it creates a token.
      if (!focusFirst) post('check')
      return true
    },
    async submit(purpose, details) {
      const token = await tokenize()
      return token === null ? null : purpose.send(token, details)
    },
  }
}
