import type { Page } from '@playwright/test'
import { missingPath } from './fixtures.ts'
import { siteUrl } from './site-url.ts'

/** Every route of the site, with placeholders for ids of the test content. */
export const routes = [
  { name: 'home', path: '/' },
  { name: 'category', path: '/browse/{menu}' },
  { name: 'more', path: '/more/{section}' },
  { name: 'search results', path: '/searchDetail/tower' },
  { name: 'search', path: '/search' },
  { name: 'the video page', path: '/videos/{video}' },
  { name: 'a locked episode', path: '/videos/{video}?episode=4' },
  { name: 'sign in', path: '/login' },
  { name: 'register', path: '/register' },
  { name: 'a lost password', path: '/retrievePassword' },
  { name: 'favorites', path: '/favorites' },
  { name: 'history', path: '/historys' },
  { name: 'unlocked', path: '/unlocked' },
  { name: 'plans', path: '/shopping' },
  { name: 'the card form', path: '/order/easy?kind=video&id={video}&gateway=sandbox&method=card' },
  { name: 'an order', path: '/order/result?order_id=ord_none' },
  { name: 'the profile', path: '/individual' },
  { name: 'the member area', path: '/my' },
  { name: 'terms', path: '/serviceAgreement' },
  { name: 'privacy', path: '/privacyPolicy' },
  { name: 'refunds', path: '/refundPolicy' },
  { name: 'content policy', path: '/contentPolicy' },
  { name: 'questions', path: '/commonQuestions' },
  { name: 'contact', path: '/contactUs' },
  { name: 'a page that does not exist', path: missingPath },
] as const

interface Homepage {
  menu: { id: string }[]
  homepage: { id: string; items: { id: string; title: string; episode_count: number }[] }[]
}

async function readHomepage(page: Page): Promise<Homepage> {
  const answer = await page.request.get(`${siteUrl}/api/homepage`)
  const { info } = (await answer.json()) as { info: Homepage }
  return info
}

/** Returns the ids of the test dramas; the first is the drama with six episodes. */
export async function videoIds(page: Page): Promise<string[]> {
  const { homepage } = await readHomepage(page)
  const items = homepage.flatMap((section) => section.items)
  const ids = items.toSorted((one, other) => other.episode_count - one.episode_count).map(({ id }) => id)
  return [...new Set(ids)]
}

/** Replaces the placeholders in a route's path by ids of the test content. */
export async function resolvePath(page: Page, path: string): Promise<string> {
  const info = await readHomepage(page)
  const videos = info.homepage.flatMap(({ items }) => items)
  const ids: Record<string, string | undefined> = {
    menu: info.menu[0]?.id,
    section: info.homepage[0]?.id,
    video: videos.find(({ title }) => title === 'The Test Tower')?.id,
  }
  return path.replace(/{(\w+)}/, (_, name: string) => ids[name] ?? name)
}

/** Opens a route and waits until its content has replaced all loading placeholders. */
export async function openRoute(page: Page, path: string): Promise<void> {
  await page.goto(await resolvePath(page, path))
  await page.getByRole('heading').first().waitFor()
  await page.waitForFunction(
    () =>
      document.fonts.status === 'loaded' &&
      !document.querySelector('main [role=status][aria-label], main[aria-busy=true]') &&
      // The controls of the episode on screen appear a moment after the rest of the page.
      !document.querySelector('main [role=region] > :not([inert], :has(button))'),
  )
}
