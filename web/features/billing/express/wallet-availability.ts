import { saveRecord, readRecord } from '#web/lib/storage.ts'

const key = 'no_express'
const maxAgeMs = 7 * 24 * 60 * 60_000

/** Stores whether a browser has a gateway's wallet; without one, no space is reserved for its button for a while. */
export function storeWalletAvailability(gateway: string, available: boolean): void {
  const { [gateway]: _, ...others } = readRecord<Record<string, number>>(key) ?? {}
  saveRecord(key, available ? others : { ...others, [gateway]: Date.now() })
}

/** Returns whether a browser may have a gateway's wallet, that is, is not known to have none. */
export function mayHaveWallet(gateway: string): boolean {
  const since = readRecord<Record<string, number>>(key)?.[gateway]
  return since === undefined || Date.now() - since > maxAgeMs
}
