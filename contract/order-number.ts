/** The part of an order's id that its number shows: 48 of its 128 random bits. */
const shownDigits = 12

/** The number of an order that people read, type and say: `CH-7F3A-29C0-11B4`. It is the beginning of the order's id. */
export function orderNumber(id: string): string {
  const digits = id.slice('ord_'.length, 'ord_'.length + shownDigits).toUpperCase()
  return ['CH', ...(digits.match(/.{1,4}/g) ?? [])].join('-')
}

/**
 * Reads an order's number as somebody typed it, with or without `CH`, dashes and capitals.
 * @returns the beginning of such orders' ids, or undefined if it is not an order number
 */
export function orderIdPrefix(text: string): string | undefined {
  const digits = text.toLowerCase().replaceAll(/[\s-]/g, '').replace(/^ch/, '')
  return new RegExp(`^[0-9a-f]{${shownDigits}}$`).test(digits) ? `ord_${digits}` : undefined
}
