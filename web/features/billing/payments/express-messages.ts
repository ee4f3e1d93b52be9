import type { Choice } from './choices.ts'
import type { Problem } from './use-payment-steps.ts'

/** The availability of a wallet: not known yet, ready to be pressed, or missing in this browser. */
export type WalletState = 'unknown' | 'ready' | 'none'

/** The wallet's state, as reported to the page around the frame. */
export interface ExpressState {
  wallet: WalletState
  open: boolean
  problem: Problem | null
}

/** Messages from the page to the wallet's document in the frame. */
export type ToExpress =
  | { type: 'buy'; choice: Choice; acceptedText: string; video: string | undefined }
  /** The user pressed "back". */
  | { type: 'leave' }

/** Messages from the wallet's document to the page, in addition to the result of an order. */
export type FromExpress =
  /** The document has loaded and is ready to receive the choice. */
  { say: 'here' } | ({ say: 'state' } & ExpressState) | { say: 'price'; cents: number }
