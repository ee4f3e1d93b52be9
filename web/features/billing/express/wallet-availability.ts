import { saveRecord, readRecord } from '#web/lib/storage.ts'

const key = 'no_express'
const maxAgeMs = 7 * 24 * 60 * 60_000

/**
 * Stores whether this browser has a gateway's wallet. If there is none, the pages reserve no space for the wallet's
 * button for a week.
 */
export function storeWalletAvailability(gateway: string, available: boolean): void {
  const { [gateway]: _, ...others } = readRecord<Record<string, number>>(key) ?? {}
  saveRecord(key, available ? others : { ...others, [gateway]: Date.now() })
}

/** Returns false if this browser was recently found to have no wallet of the gateway. */
export function mayHaveWallet(gateway: string): boolean {
  const since = readRecord<Record<string, number>>(key)?.[gateway]
  return since === undefined || Date.now() - since > maxAgeMs
}
