import type { Choice } from '#web/features/billing/words.ts'
import type { ExpressState } from './Express.tsx'

/** What the page tells the wallet's document in its frame. */
export type ToExpress =
  | { type: 'buy'; choice: Choice; words: string; video: string | undefined }
  /** The person went back. */
  | { type: 'leave' }

/** What that document tells the page, beside what became of an order. */
export type FromExpress =
  /** It is there, and waits to be told what is bought. */
  { say: 'here' } | ({ say: 'state' } & ExpressState) | { say: 'price'; cents: number }
