import type { Page } from '@playwright/test'
import { payByCard } from './playback-and-payment.ts'

const credentials = {
  email: `ada-${crypto.randomUUID().slice(0, 8)}@example.com`,
  password: 'a quiet lighthouse',
}
const cardAndEmail = { number: '4242 4242 4242 4242', email: credentials.email }

/**
 * Registers a member with history and favorites. The member buys an episode of the first drama and a plan with the
 * sandbox's card.
 */
export async function createPayingMember(
  page: Page,
  url: string,
  [first, ...others]: string[],
): Promise<void> {
  const post = async (path: string, data: object) => {
    const response = await page.request.post(`${url}/api/user${path}`, { data, headers: { origin: url } })
    const { code, message } = (await response.json()) as { code: number; message?: string }
    if (code !== 200) throw new Error(`${path}: ${message ?? code}`)
  }
  await page.goto(url)
  await post('/register', { ...credentials, display_name: 'Ada', repeat_password: credentials.password })
  for (const video_id of [first, ...others]) {
    await post('/favorite', { video_id })
    const list = await page.request.get(`${url}/api/video/episode?video_id=${video_id}`)
    const { data } = (await list.json()) as { data: { list: { id: string }[] } }
    const episode_id = data.list[0]?.id
    if (episode_id)
      await post('/history', { video_id, episode_id, position_ms: 8000, at: new Date().toISOString() })
  }
  await page.goto(`${url}/videos/${first}?episode=4`)
  await page.getByRole('button', { name: /^Pay / }).click()
  await payByCard(page, cardAndEmail)
  await page.locator('dialog').waitFor({ state: 'detached' })
  await page.goto(`${url}/shopping`)
  await page.locator('main li button').first().click()
  await payByCard(page, { number: cardAndEmail.number })
  await page.locator('dialog').waitFor({ state: 'detached' })
}

/** Deletes the member. Only ledger records remain. */
export async function deleteMember(page: Page, url: string): Promise<void> {
  const headers = { origin: url }
  await page.request.post(`${url}/api/payment/cancel`, { headers, data: {} })
  await page.request.delete(`${url}/api/user`, { headers, data: { current_password: credentials.password } })
}
