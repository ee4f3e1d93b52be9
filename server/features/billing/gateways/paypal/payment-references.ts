const indirectReferencePattern = /^(dispute|invoice|capture):(.+)$/

/** Names a payment of which PayPal reports only the invoice id, which is the attempt's. */
export const toInvoiceReference = (attemptId: string): string => `invoice:${attemptId}`

/** Names a payment of which only the capture is known. */
export const toCaptureReference = (captureId: string): string => `capture:${captureId}`

/** Parses the name of a payment: usually its order id, otherwise see `toDisputeReference` and the functions above. */
export function parseReference(reference: string): {
  kind: 'order' | 'dispute' | 'invoice' | 'capture'
  id: string
} {
  const [, kind, id = ''] = indirectReferencePattern.exec(reference) ?? []
  if (kind === 'dispute' || kind === 'invoice' || kind === 'capture') return { kind, id }
  return { kind: 'order', id: reference }
}
