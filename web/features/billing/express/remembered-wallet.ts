import { saveRecord, readRecord } from '#web/lib/storage.ts'

const key = 'no_express'
const forMs = 7 * 24 * 60 * 60_000

/** Remembers for a while that a browser has no wallet of a gateway, so that no space is reserved for its button. */
export function rememberWallet(gateway: string, available: boolean): void {
  const { [gateway]: _, ...others } = readRecord<Record<string, number>>(key) ?? {}
  saveRecord(key, available ? others : { ...others, [gateway]: Date.now() })
}

/** Whether a browser may have a wallet of a gateway: it is not known to have none. */
export function mayHaveWallet(gateway: string): boolean {
  const since = readRecord<Record<string, number>>(key)?.[gateway]
  return since === undefined || Date.now() - since > forMs
}
