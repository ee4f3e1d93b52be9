/**
 * The network that an address is counted as, the same however the address is written: of IPv6 the first 64 bits, which one
 * household has, and of IPv4 the address, also where it is written as IPv6. A port, brackets and a zone count for nothing.
 */
export function networkOf(ip: string): string {
  const bytes = bytesOf(ip)
  if (!bytes) return ip.slice(0, longestText).toLowerCase()
  const mapped = bytes.length === 16 && mappedPrefix.every((byte, at) => bytes[at] === byte)
  if (bytes.length === 4 || mapped) return bytes.slice(-4).join('.')
  const groups = [0, 2, 4, 6].map((at) => ((bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)).toString(16))
  return groups.join(':')
}

const longestText = 64
const mappedPrefix = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]

/** The 4 or 16 bytes of an address; undefined for what is none. */
function bytesOf(ip: string): number[] | undefined {
  if (ip.length > longestText) return undefined
  const [, inBrackets] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(ip) ?? []
  const [, beforePort] = /^([\d.]+):\d{1,5}$/.exec(ip) ?? []
  const [address = ''] = (inBrackets ?? beforePort ?? ip).split('%')
  return address.includes(':') ? bytesOfV6(address) : bytesOfV4(address)
}

function bytesOfV4(address: string): number[] | undefined {
  const parts = address.split('.')
  const bytes = parts.map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : NaN))
  return parts.length === 4 && bytes.every((byte) => byte <= 255) ? bytes : undefined
}

function bytesOfV6(address: string): number[] | undefined {
  const [head = '', tail, ...more] = address.split('::')
  const front = bytesOfGroups(head)
  const back = bytesOfGroups(tail ?? '')
  if (!front || !back || more.length > 0) return undefined
  const missing = 16 - front.length - back.length
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined
  return [...front, ...Array.from({ length: missing }, () => 0), ...back]
}

/** Groups of four hex digits with colons between them; the last may be an IPv4 address. */
function bytesOfGroups(text: string): number[] | undefined {
  if (text === '') return []
  const bytes: number[] = []
  for (const group of text.split(':')) {
    const more = group.includes('.') ? bytesOfV4(group) : bytesOfGroup(group)
    if (!more) return undefined
    bytes.push(...more)
  }
  return bytes
}

function bytesOfGroup(group: string): number[] | undefined {
  // Some write more zeros in front than there are digits.
  const digits = group.replace(/^0+(?=.)/, '')
  if (!/^[0-9a-f]{1,4}$/i.test(digits)) return undefined
  const value = parseInt(digits, 16)
  return [value >> 8, value & 255]
}
