/**
 * The network that an address is counted as, the same however the address is written: of IPv6 the first 64 bits, which one
 * household has, and of IPv4 the address, also where it is written as IPv6. A port, brackets and a zone are ignored.
 */
export function networkOf(ip: string): string {
  const bytes = bytesOf(ip)
  if (!bytes) return ip.slice(0, longestText).toLowerCase()
  const four = bytes.length === 4 ? bytes : fourWithin(bytes)
  return four ? four.join('.') : groupsOf(bytes, 4)
}

/** So much of IPv6 is one customer's at most providers; each household of it has 64 bits of its own. */
const wideTimes = 16

/**
 * The networks that an address counts against, each with how many times the limit of one: of IPv6 the first 64 bits and the first 48, so
 * that somebody with 65,536 networks cannot leave 65,536 times as much behind.
 */
export function countedNetworks(ip: string): { network: string; times: number }[] {
  const bytes = bytesOf(ip)
  const own = { network: networkOf(ip), times: 1 }
  if (bytes?.length !== 16 || fourWithin(bytes)) return [own]
  return [own, { network: `${groupsOf(bytes, 3)}/48`, times: wideTimes }]
}

const longestText = 64

/** What an IPv6 address begins with that holds one of IPv4, and where that is: mapped, by NAT64, and 6to4. */
const holders = [
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255], at: 12 },
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], at: 12 },
  { prefix: [0x20, 0x02], at: 2 },
]

function fourWithin(bytes: readonly number[]): number[] | undefined {
  const holder = holders.find(({ prefix }) => prefix.every((byte, at) => bytes[at] === byte))
  return holder && bytes.slice(holder.at, holder.at + 4)
}

/** The first groups of an IPv6 address. */
function groupsOf(bytes: readonly number[], count: number): string {
  const group = (at: number) => ((bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)).toString(16)
  return Array.from({ length: count }, (_, at) => group(2 * at)).join(':')
}

/** The 4 or 16 bytes of an address; undefined if the text is none. */
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
