const indirectReferencePattern = /^(dispute|invoice|capture):(.+)$/

/** Returns the reference of a payment for which PayPal reports only the invoice id, which is our attempt's id. */
export const toInvoiceReference = (attemptId: string): string => `invoice:${attemptId}`

/** Returns the reference of a payment for which PayPal reports only the capture. */
export const toCaptureReference = (captureId: string): string => `capture:${captureId}`

/**
 * Parses a payment's reference: an order id, or a result of `toDisputeReference`, `toInvoiceReference` or
 * `toCaptureReference`.
 */
export function parseReference(reference: string): {
  kind: 'order' | 'dispute' | 'invoice' | 'capture'
  id: string
} {
  const [, kind, id = ''] = indirectReferencePattern.exec(reference) ?? []
  if (kind === 'dispute' || kind === 'invoice' || kind === 'capture') return { kind, id }
  return { kind: 'order', id: reference }
}
