import type { Page } from '@playwright/test'
import { expect, missingPath, test } from '#e2e/support/fixtures.ts'
import { towerUrl } from '#e2e/support/playback-and-payment.ts'

interface Ids {
  video: string
  section: string
  category: string
}

/** The 23 required routes with their titles; an id replaces the parameter. */
const routes = (id: Ids): Record<string, string | RegExp> => ({
  '/': 'Cliffhanger',
  [`/browse/${id.category}`]: 'Tests',
  [`/more/${id.section}`]: 'Featured',
  [`/videos/${id.video}`]: / · Episode 1$/,
  '/individual': 'Profile and settings',
  '/my': 'My account',
  '/login': 'Sign in',
  '/retrievePassword': 'Forgot your password?',
  '/register': 'Create your account',
  '/favorites': 'Favorites',
  '/historys': 'Watch history',
  '/unlocked': 'Unlocked',
  '/search': 'Search',
  '/searchDetail/tower': 'Results for “tower”',
  '/shopping': 'Watch everything',
  '/privacyPolicy': 'Privacy policy',
  '/refundPolicy': 'Refund policy',
  '/serviceAgreement': 'Terms of use',
  '/contentPolicy': 'Content policy',
  '/commonQuestions': 'Frequently asked questions',
  '/contactUs': 'Contact us',
  '/order/result': 'Your order',
  '/order/easy': 'Payment · Cliffhanger',
})

test('each of the 23 routes opens in #app with its own title; any other path is not found', async ({
  page,
}) => {
  const answer = await page.request.get('/api/homepage')
  const { info } = (await answer.json()) as {
    info: { menu: { id: string }[]; homepage: { id: string; items: { id: string }[] }[] }
  }
  const ids = {
    video: info.homepage[0]?.items[0]?.id ?? '',
    section: info.homepage[0]?.id ?? '',
    category: info.menu[0]?.id ?? '',
  }
  const all = Object.entries(routes(ids))
  expect(all).toHaveLength(23)
  for (const [path, title] of all) {
    const response = await page.goto(path, { waitUntil: 'commit' })
    expect(response?.status(), path).toBe(200)
    await expect(page, path).toHaveTitle(title)
    await expect(page.locator('#app').getByRole('heading', { level: 1 }), path).toBeVisible()
    await expect(page.getByText('Page not found'), path).toHaveCount(0)
  }
  const missing = await page.request.get('/nowhere/at/all')
  expect(missing.status()).toBe(404)
})

test('a path that is not listed shows the not-found screen', async ({ page }) => {
  await page.goto(missingPath)
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
})

test('a page requests the user, the tracking settings and the homepage in that order', async ({ page }) => {
  const requestedPaths: string[] = []
  page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'The Test Tower' }).first()).toBeVisible()
  const first = ['/api/user', '/api/reports', '/api/homepage']
  await expect.poll(() => requestedPaths.filter((path) => first.includes(path))).toEqual(first)
})

test('a page does not load an inlined style sheet again', async ({ page }) => {
  const fetched: string[] = []
  page.on('request', (request) => {
    if (request.frame() === page.mainFrame()) fetched.push(new URL(request.url()).pathname)
  })
  for (const path of ['/', '/my', '/login', await towerUrl(page, 4)]) {
    await page.goto(path)
    await expect(page.getByRole('contentinfo').or(page.getByRole('region', { name: /locked/ }))).toBeVisible()
    // The last file that a page loads automatically.
    await expect.poll(() => fetched.some((file) => /\/DeferredParts-.*js$/.test(file))).toBe(true)
    const inDocument = await page
      .locator('style[data-file]')
      .evaluateAll((styles: HTMLElement[]) => styles.map(({ dataset }) => dataset['file'] ?? ''))
    expect(inDocument.length).toBeGreaterThan(2)
    expect(inDocument.filter((file) => fetched.includes(file))).toEqual([])
    fetched.length = 0
  }
})

test('a page uses every font and image that it preloads', async ({ page }) => {
  const preloads = page.locator('link[rel=preload]')
  const preloaded = new Set<string | null>()
  for (const path of ['/', '/my', '/login', await towerUrl(page, 1), await towerUrl(page, 4)]) {
    await page.goto(path)
    for (const link of await preloads.all()) preloaded.add(await link.getAttribute('as'))
    await expect.poll(() => preloads.evaluateAll(unusedPreloads)).toEqual([])
  }
  expect(preloaded).toEqual(new Set(['font', 'image']))
})

/** Returns the URLs of preloaded fonts and images that the page does not use. */
function unusedPreloads(links: Element[]): string[] {
  const posters = [...document.querySelectorAll('video')].map(({ poster }) => poster)
  const images = [...document.images].map(({ currentSrc }) => currentSrc)
  // A face is loaded as soon as a text needs it. It does not know its file, but its rule does.
  const loadedRanges = [...document.fonts]
    .filter(({ status }) => status === 'loaded')
    .map(({ unicodeRange }) => unicodeRange)
  const usedFonts = [...document.styleSheets]
    .flatMap(({ cssRules }) => [...cssRules])
    .filter((rule) => rule instanceof CSSFontFaceRule)
    .filter(({ style }) => loadedRanges.includes(style.getPropertyValue('unicode-range')))
    .map(({ style }) => style.getPropertyValue('src'))
  return links
    .filter((link) => link instanceof HTMLLinkElement)
    .filter(({ as, href }) => {
      const isUsedFont = usedFonts.some((source) => source.includes(new URL(href).pathname))
      return !(as === 'font' ? isUsedFont : [...posters, ...images].includes(href))
    })
    .map(({ href }) => href)
}

test('the payment frame and the studio load none of the site’s screens', async ({ page }) => {
  const screens: string[] = []
  page.on('request', (request) => {
    const [, screen] = /\/(\w+Screen)-[\w-]+\.js$/.exec(request.url()) ?? []
    if (screen) screens.push(screen)
  })
  await page.goto(await towerUrl(page, 4))
  const frame = page.frameLocator('iframe').first()
  await expect(frame.getByRole('button').first()).toBeVisible()
  // The router sets a key in the history state as soon as it runs.
  expect(await frame.locator('body').evaluate(() => history.state?.key)).toBeUndefined()
  // The page around the payment frame has loaded this screen. The frame itself has loaded none.
  expect([...new Set(screens)]).toEqual(['VideoScreen'])

  screens.length = 0
  await page.goto('/studio')
  await expect(page.getByRole('button', { name: 'Sign in to the studio' })).toBeVisible()
  expect(await page.evaluate(() => history.state?.key)).toBeUndefined()
  expect(screens).toEqual([])
})

test.describe('before the consent banner is answered', () => {
  test.use({ consent: null })

  test('the browser stores homepage, user, user id, referrer and click ids, and the next visit shows the stored homepage immediately', async ({
    page,
  }) => {
    await page.goto('/?token=ann&fbclid=fb&ttclid=tt&lang=en')
    await expect(page.getByRole('heading', { name: 'The Test Tower' }).first()).toBeVisible()
    await expect(page).toHaveURL(/\/\?lang=en$/)
    const text = expect.stringMatching(/\S/)
    await expect
      .poll(() => readLocalStorage(page))
      .toMatchObject({ referrer_token: 'ann', fbclid: 'fb', ttclid: 'tt', user: text, homepage: text })
    const stored = await readLocalStorage(page)
    expect(JSON.parse(stored['user'] ?? '')).toMatchObject({ id: stored['user_id'] })
    const homepage = JSON.parse(stored['homepage'] ?? '')
    expect(Object.keys(homepage)).toEqual(
      expect.arrayContaining(['copyright', 'homepage', 'menu', 'pay_theme']),
    )
    await expect(page.locator('link[rel=icon]')).toHaveAttribute('href', homepage.copyright.icon)
    await expect(page.getByRole('contentinfo')).toContainText(homepage.copyright.text)

    await page.route('**/api/**', () => {})
    await page.reload()
    await expect(page.getByRole('heading', { name: 'The Test Tower' }).first()).toBeVisible()
  })
})

const readLocalStorage = (page: Page) => page.evaluate((): Record<string, string> => ({ ...localStorage }))

test('a new page starts at the top, and a reload keeps the scroll position', async ({ page }) => {
  const scrolled = () => page.evaluate(() => scrollY)
  await page.goto('/commonQuestions')
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
  await expect.poll(scrolled).toBeGreaterThan(200)
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toBeAttached()
  await expect.poll(scrolled).toBeGreaterThan(200)
  // A link, because a new document always starts at the top.
  await page.getByRole('contentinfo').getByRole('link', { name: 'Terms of use' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Terms of use' })).toBeInViewport()
  await expect.poll(scrolled).toBe(0)
})

test('the header and the footer have the required links', async ({ page }) => {
  await page.goto('/')
  const header = page.getByRole('banner')
  await expect(header.getByRole('link', { name: /Cliffhanger/ })).toHaveAttribute('href', '/')
  await expect(header.getByRole('combobox', { name: 'Language' })).toHaveValue('en')
  await expect(header.getByRole('button', { name: 'Account' })).toBeVisible()
  await header.getByRole('button', { name: 'Browse' }).click()
  const menu = header.getByRole('navigation', { name: 'Browse' })
  await expect(menu.getByRole('link', { name: 'Recommended' })).toHaveAttribute('href', /^\/more\//)
  await expect(menu.locator('a[href^="/browse/"]').first()).toBeVisible()
  const links = page.getByRole('contentinfo').getByRole('link')
  const hrefs = () => links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  await expect.poll(hrefs).toEqual([
    '/serviceAgreement',
    '/privacyPolicy',
    '/contentPolicy',
    '/refundPolicy',
    '/contactUs',
    '/commonQuestions',
    '/serviceAgreement',
    // Contracts must be cancellable through a permanently visible link.
    '/my#cancel-contract',
    '/my#withdraw',
  ])
})

test('the empty registration and sign-in forms show errors at their required fields', async ({ page }) => {
  await page.goto('/register')
  await page.locator('main').getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription(/Enter your e-mail/)
  await expect(page.getByLabel('Repeat your password')).toHaveAccessibleDescription(/Repeat your password/)
  await page.goto('/login')
  await page.locator('main').getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription(/Enter your e-mail/)
  await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(
    /Enter your password/,
  )
})

test.describe('when images fail to load', () => {
  test.use({ allowedConsoleMessages: /ERR_FAILED/ })

  test('an image is requested three times', async ({ page }) => {
    const requestCounts = new Map<string, number>()
    await page.route('**/public/covers/**', (route) => {
      const url = route.request().url()
      requestCounts.set(url, (requestCounts.get(url) ?? 0) + 1)
      return route.abort()
    })
    await page.clock.install()
    await page.goto('/searchDetail/tower')
    const attempts = async () => {
      await page.clock.runFor(500)
      return [...requestCounts.values()]
    }
    await expect.poll(attempts).toEqual([3])
    await page.clock.runFor(60_000)
    // A fourth request for the image would be recorded before this one.
    await page.evaluate(() => fetch('/public/covers/last').catch(() => null))
    expect([...requestCounts.values()]).toEqual([3, 1])
  })
})
