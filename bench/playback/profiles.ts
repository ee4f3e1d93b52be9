import type { Page } from '@playwright/test'

/** The connection and CPU of a phone. */
export interface Profile {
  name: string
  /** Additional latency in milliseconds, and bandwidth in kilobits per second. */
  network?: { latencyMs: number; kilobits: number }
  /** Factor by which the CPU is slowed down. */
  slower?: number
}

/** The connections are WebPageTest's "4G" and Lighthouse's "slow 4G". */
export const profiles = {
  free: { name: 'unthrottled' },
  fast: { name: '4G', network: { latencyMs: 170, kilobits: 9000 } },
  slow: { name: 'slow 4G', network: { latencyMs: 150, kilobits: 1638 } },
  weak: { name: 'CPU 4×', slower: 4 },
} satisfies Record<string, Profile>

/** Throttles the connection and CPU of a page, until the page is closed. */
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
