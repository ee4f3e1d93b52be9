/**
 * Returns the network that an address counts as, in a normalised notation. For IPv6 these are the first 64 bits, which
 * one household usually has. For IPv4 it is the address itself, even if it is embedded in an IPv6 address. A port,
 * brackets and a zone are ignored.
 */
export function networkOf(ip: string): string {
  const bytes = bytesOf(ip)
  if (!bytes) return ip.slice(0, longestText).toLowerCase()
  const four = bytes.length === 4 ? bytes : embeddedIpv4(bytes)
  return four ? four.join('.') : groupsOf(bytes, 4)
}

/** The /48 limit, in multiples of the /64 limit. Most providers assign a customer at most a /48. */
const wideMultiplier = 16

/**
 * Returns the networks that an address counts against, each with its multiple of the limit: for IPv6 the first 64 bits
 * and the first 48. Without the /48, a customer with a /48 network could use the limit 65,536 times.
 */
export function countedNetworks(ip: string): { network: string; multiplier: number }[] {
  const bytes = bytesOf(ip)
  const own = { network: networkOf(ip), multiplier: 1 }
  if (bytes?.length !== 16 || embeddedIpv4(bytes)) return [own]
  return [own, { network: `${groupsOf(bytes, 3)}/48`, multiplier: wideMultiplier }]
}

const longestText = 64

/**
 * Prefixes of IPv6 addresses that embed an IPv4 address (IPv4-mapped, NAT64 and 6to4), and the offset of that address
 * in bytes.
 */
const ipv4Embeddings = [
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255], at: 12 },
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], at: 12 },
  { prefix: [0x20, 0x02], at: 2 },
]

function embeddedIpv4(bytes: readonly number[]): number[] | undefined {
  const embedding = ipv4Embeddings.find(({ prefix }) => prefix.every((byte, at) => bytes[at] === byte))
  return embedding && bytes.slice(embedding.at, embedding.at + 4)
}

/** Formats the first groups of an IPv6 address. */
function groupsOf(bytes: readonly number[], count: number): string {
  const group = (at: number) => ((bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)).toString(16)
  return Array.from({ length: count }, (_, at) => group(2 * at)).join(':')
}

/** Parses an address into its 4 or 16 bytes; undefined if the text is not one. */
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

/** Parses groups of four hex digits separated by colons; the last may be an IPv4 address. */
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
  // Groups may have extra leading zeros.
  const digits = group.replace(/^0+(?=.)/, '')
  if (!/^[0-9a-f]{1,4}$/i.test(digits)) return undefined
  const value = parseInt(digits, 16)
  return [value >> 8, value & 255]
}
