import type { Choice } from './price-copy.ts'
import type { Problem } from './use-payment-steps.ts'

/** The wallet's availability: not known yet, ready to be pressed, or absent in this browser. */
export type WalletState = 'unknown' | 'ready' | 'none'

/** The wallet's state, as reported to the framing page. */
export interface ExpressState {
  wallet: WalletState
  open: boolean
  problem: Problem | null
}

/** Messages from the page to the wallet's document in its frame. */
export type ToExpress =
  | { type: 'buy'; choice: Choice; acceptedText: string; video: string | undefined }
  /** The user pressed "back". */
  | { type: 'leave' }

/** Messages from that document to the page, beside the result of an order. */
export type FromExpress =
  /** The document has loaded, and waits for the choice. */
  { say: 'here' } | ({ say: 'state' } & ExpressState) | { say: 'price'; cents: number }
