const otherNames = /^(dispute|invoice|capture):(.+)$/

/** A name for a payment of which PayPal says only its invoice id, which is the attempt's. */
export const invoiceName = (attemptId: string): string => `invoice:${attemptId}`

/** A name for a payment of which only the capture is known. */
export const captureName = (captureId: string): string => `capture:${captureId}`

/** What a name of a payment is the name of: as a rule of its order, otherwise see `disputeName` and the functions above. */
export function readName(name: string): { kind: 'order' | 'dispute' | 'invoice' | 'capture'; id: string } {
  const [, kind, id = ''] = otherNames.exec(name) ?? []
  if (kind === 'dispute' || kind === 'invoice' || kind === 'capture') return { kind, id }
  return { kind: 'order', id: name }
}
