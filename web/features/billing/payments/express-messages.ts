import type { Choice } from './price-copy.ts'
import type { Problem } from './use-payment-steps.ts'

/** What is known of the wallet: nothing yet, that it can be pressed, or that this browser has none. */
export type WalletState = 'unknown' | 'ready' | 'none'

/** The wallet's state, for the page around it. */
export interface ExpressState {
  wallet: WalletState
  open: boolean
  problem: Problem | null
}

/** What the page tells the wallet's document in its frame. */
export type ToExpress =
  | { type: 'buy'; choice: Choice; words: string; video: string | undefined }
  /** The person went back. */
  | { type: 'leave' }

/** What that document tells the page, beside what became of an order. */
export type FromExpress =
  /** It is there, and waits to be told what is bought. */
  { say: 'here' } | ({ say: 'state' } & ExpressState) | { say: 'price'; cents: number }
