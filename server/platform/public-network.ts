import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type * as https from 'node:https'
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net'

/** Thrown for a host name that has no dot, is an IP address, or resolves to an address that is not public. */
export class NotPublicError extends Error {
  override name = 'NotPublicError'
}

/** Networks that are not public (IANA's special-purpose registries), and those that embed IPv4 in IPv6. */
const reserved = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  reserved.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  reserved.addSubnet(network, bits, 'ipv6')

/** The allocated part of IPv6. */
const global = new BlockList()
global.addSubnet('2000::', 3, 'ipv6')

/** Returns whether an IP address is public. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !reserved.check(address, 'ipv4')
  return global.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
}

/**
 * Returns whether a URL given by a user may be requested: https on its default port, a name instead of an IP address,
 * no credentials.
 */
export function isPublicUrl(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '')
    return false
  return !url.hostname.startsWith('[') && isIP(url.hostname) === 0 && url.hostname.includes('.')
}

const lookupTimeoutMs = 2000

/**
 * Creates a DNS lookup that fails with NotPublicError if any address of a name is not public. Connections use the
 * addresses that were checked. The lookup queries the name servers itself, for at most two seconds, and ignores
 * `/etc/hosts`. The system's own lookup would occupy one of the few threads for file access, for as long as a slow name
 * server takes.
 */
export function openPublicLookup(
  resolver = new Resolver({ timeout: lookupTimeoutMs, tries: 1 }),
): LookupFunction {
  return (hostname, { all }, callback) => {
    const answer = (found: LookupAddress[]) => {
      const [first] = found
      return all || !first ? callback(null, found) : callback(null, first.address, first.family)
    }
    findPublic(resolver, hostname).then(answer, (error: Error) => callback(error, []))
  }
}

async function findPublic(resolver: Resolver, hostname: string): Promise<LookupAddress[]> {
  if (!isPublicUrl(`https://${hostname}/`)) throw new NotPublicError(`${hostname} is not on the internet`)
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const found = [
    ...(ipv4.status === 'fulfilled' ? ipv4.value.map((address) => ({ address, family: 4 })) : []),
    ...(ipv6.status === 'fulfilled' ? ipv6.value.map((address) => ({ address, family: 6 })) : []),
  ]
  if (found.length === 0) throw new Error(`${hostname} has no address`, { cause: ipv4 })
  if (!found.every(({ address }) => isPublicAddress(address)))
    throw new NotPublicError(`${hostname} is not on the internet`)
  return found
}

/** Loads Node's https module. It is loaded on demand, because few processes need it. */
// oxlint-disable-next-line no-restricted-imports -- fetch cannot restrict the addresses to which it connects
export const loadHttps = (): Promise<typeof https> => import('node:https')

/**
 * Creates an agent for host names given by users; it does not connect to private networks (NotPublicError). Use it only
 * for URLs that `isPublicUrl` accepts.
 */
export async function openPublicAgent(): Promise<https.Agent> {
  const { Agent } = await loadHttps()
  return new Agent({ keepAlive: true, lookup: openPublicLookup() })
}
