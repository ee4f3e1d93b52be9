import type { Page } from '@playwright/test'

/** The connection and processor of a phone. */
export interface Profile {
  name: string
  /** Additional latency in milliseconds, and bandwidth. */
  network?: { latencyMs: number; kilobits: number }
  /** CPU slowdown factor. */
  slower?: number
}

/** The connections are those of WebPageTest's “4G” and of Lighthouse's “slow 4G”. */
export const profiles = {
  free: { name: 'unthrottled' },
  fast: { name: '4G', network: { latencyMs: 170, kilobits: 9000 } },
  slow: { name: 'slow 4G', network: { latencyMs: 150, kilobits: 1638 } },
  weak: { name: 'CPU 4×', slower: 4 },
} satisfies Record<string, Profile>

/** Throttles the page's connection and processor to the profile until it is closed. */
export async function applyProfile(page: Page, { network, slower }: Profile): Promise<void> {
  if (!network && slower === undefined) return
  const devtools = await page.context().newCDPSession(page)
  if (slower !== undefined) await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower })
  if (!network) return
  const bytes = (network.kilobits * 1000) / 8
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: network.latencyMs,
    downloadThroughput: bytes,
    uploadThroughput: bytes / 2,
  })
}
