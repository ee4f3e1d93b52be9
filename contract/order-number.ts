/** How many hexadecimal digits of an order's id its order number shows: 48 of the id's 128 random bits. */
const orderNumberDigits = 12

/** Returns the readable number of an order, such as `CH-7F3A-29C0-11B4`: the beginning of its id. */
export function orderNumber(id: string): string {
  const digits = id.slice('ord_'.length, 'ord_'.length + orderNumberDigits).toUpperCase()
  return ['CH', ...(digits.match(/.{1,4}/g) ?? [])].join('-')
}

/**
 * Parses an order number as typed, with or without `CH`, dashes and capitals.
 * @returns the beginning of the order's id, or undefined if it is not an order number
 */
export function orderIdPrefix(text: string): string | undefined {
  const digits = text.toLowerCase().replaceAll(/[\s-]/g, '').replace(/^ch/, '')
  return new RegExp(`^[0-9a-f]{${orderNumberDigits}}$`).test(digits) ? `ord_${digits}` : undefined
}
