const otherNames = /^(dispute|invoice):(.+)$/

/** A name for a payment of which PayPal says only its invoice id, which is the attempt's. */
export const invoiceName = (attemptId: string): string => `invoice:${attemptId}`

/** What a name of a payment is the name of: as a rule of its order, otherwise see `disputeName` and `invoiceName`. */
export function readName(name: string): { kind: 'order' | 'dispute' | 'invoice'; id: string } {
  const [, kind, id = ''] = otherNames.exec(name) ?? []
  if (kind === 'dispute' || kind === 'invoice') return { kind, id }
  return { kind: 'order', id: name }
}
