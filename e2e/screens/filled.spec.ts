import type { BrowserContext, BrowserContextOptions, Page } from '@playwright/test'
import { createPayingMember } from '#e2e/support/create-paying-member.ts'
import { expect, test as base } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible, narrowPhone } from '#e2e/support/page-quality.ts'
import { openRoute, videoIds } from '#e2e/support/routes.ts'
import { shotsOf, type Shot } from './screen-states.ts'
import { siteUrl } from '#e2e/support/site-url.ts'

/** Screens that are empty for a new visitor, with the element that must be visible before the check. */
const readySelectors: Record<string, string> = {
  'home of a member': 'main progress',
  favorites: 'main li a',
  'favorites, edit': 'main li :checked',
  history: 'main li progress',
  unlocked: 'main li a',
  'member area': 'main a[href*="receipt="]',
  'member area, every order status': 'main ul > li:nth-child(8)',
  receipt: 'main article table',
  'profile, all settings open': 'main form [type=password]',
  'plans of a subscriber': 'main section[aria-label] button',
  'card form, declined': 'dialog iframe',
  'card form, 3-D Secure': 'dialog iframe',
  'order, pending': 'main [role=status]',
  'order, paid': 'main [role=status]',
  'order, failed': 'main [role=status]',
  'order, refunded': 'main [role=status]',
  'order, load error': 'main [role=alert]',
}

const allShots = shotsOf({
  video: '/videos/{video}',
  section: '{section}',
  category: '{menu}',
  plan: '{plan}',
})
const shots = Object.keys(readySelectors).map((name) => {
  const shot = allShots.find((one) => one.name === name)
  if (!shot) throw new Error(`there is no state ${name}`)
  return shot
})

type State = Exclude<BrowserContextOptions['storageState'], string | undefined>

const test = base.extend<object, { member: State }>({
  member: [
    async ({ browser }, use) => {
      const page = await browser.newPage({ locale: 'en-US', serviceWorkers: 'block' })
      await page.addInitScript(() => localStorage.setItem('consent', 'no'))
      await createPayingMember(page, siteUrl, await videoIds(page))
      await use(await page.context().storageState())
      await page.context().close()
    },
    { scope: 'worker' },
  ],
})

// axe injects its own script into the page; the browser logs lost responses.
test.use({ bypassCSP: true, allowedConsoleMessages: /net::ERR_FAILED/ })

/** Opens a screen in a new window, as the member or as a new visitor, and checks the screen. */
async function checkState(
  { name, path, before, act, member }: Shot,
  { open, state }: { open: (options: BrowserContextOptions) => Promise<BrowserContext>; state: State },
  check: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await open(member ? { storageState: state } : {})
  const page = await context.newPage()
  await before?.(page)
  await openRoute(page, path)
  await act?.(page)
  await expect(page.locator(readySelectors[name] ?? '').first()).toBeVisible()
  await check(page)
  await context.close()
}

for (const shot of shots)
  test(`${shot.name}: accessible, and long words fit`, async ({ browser, member }) => {
    const open = (options: BrowserContextOptions) => browser.newContext({ ...options, locale: 'de-DE' })
    await checkState(shot, { open, state: member }, async (page) => {
      await expectAccessible(page)
      await page.setViewportSize(narrowPhone)
      await expectNoOverflow(page)
    })
  })

const wide = { viewport: { width: 1440, height: 900 }, isMobile: false, hasTouch: false }

test('on a wide screen, an order shows its status below its name, with or without a button', async ({
  browser,
  member,
}) => {
  const shot = shots.find(({ name }) => name === 'member area, every order status')
  if (!shot) throw new Error('the state is missing')
  const open = (options: BrowserContextOptions) => browser.newContext({ ...options, ...wide })
  await checkState(shot, { open, state: member }, async (page) => {
    const lines = await page
      .locator('main li')
      .filter({ hasText: '$9.99' })
      .evaluateAll((all) =>
        all.map((line) => {
          const [title, , state] = [...line.querySelectorAll('p')].map((part) => part.getBoundingClientRect())
          return title && state && title.left === state.left && title.bottom <= state.top
        }),
      )
    expect(lines).toEqual(Array.from({ length: 8 }, () => true))
  })
})
