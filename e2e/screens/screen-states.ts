import type { Page } from '@playwright/test'
import { mockOrderStatus, mockOrderList, mockOrderPath, setReturnPath } from '#e2e/support/mock-orders.ts'

/** A screenshot for the contact sheets: a screen in one of its states. */
export interface Shot {
  name: string
  path: string
  /** True to show the screen to a member with history, favorites and purchases; otherwise to a new guest. */
  member?: boolean
  /** Prepares the page, for example by delaying, dropping or replacing responses. */
  before?: (page: Page) => Promise<unknown>
  /** Actions before the screenshot. They run in every language, so they must not find elements by texts. */
  act?: (page: Page) => Promise<unknown>
}

/** Ids of content on the running site. */
export interface Content {
  video: string
  section: string
  category: string
  plan: string
}

const cards = { declined: '4000 0000 0000 0002', asksBank: '4000 0000 0000 3220' }

export const dropResponses = (page: Page) => page.route('**/api/**', (route) => route.abort())
export const holdResponses = (page: Page) => page.route('**/api/**', () => {})
export const answer = (path: string, json: object) => (page: Page) =>
  page.route(`**/api/${path}`, (route) => route.fulfill({ json }))
const scrollToEnd = (page: Page) => page.evaluate(() => scrollTo(0, document.body.scrollHeight))
const scrollToLastOrder = (page: Page) =>
  page.locator('main ul > li:nth-child(8)').first().scrollIntoViewIfNeeded()
export const click = (selector: string) => (page: Page) => page.locator(selector).first().click()
export const submit = click('main button[type=submit]')
export const type = (selector: string, words: string) => (page: Page) =>
  page.locator(selector).first().pressSequentially(words, { delay: 30 })
export const inSequence =
  (...actions: NonNullable<Shot['act']>[]) =>
  async (page: Page) => {
    for (const action of actions) await action(page)
  }
const payForm = async (page: Page) => {
  await page.locator('section[data-layout] button[aria-describedby]').click()
  await page.frameLocator('dialog iframe').locator('form button[type=submit]:enabled').waitFor()
}
const clickInForm = (selector: string) => (page: Page) =>
  page.frameLocator('dialog iframe').locator(selector).click()
/** Fills in a card and a name. Finds the fields by their autocomplete attributes. */
const payWith = (number: string) => async (page: Page) => {
  const form = page.frameLocator('dialog iframe')
  const card = form.frameLocator('iframe')
  const typed = { email: 'ada@example.com', 'given-name': 'Ada', 'family-name': 'Lovelace' }
  for (const [name, words] of Object.entries(typed)) await form.locator(`[autocomplete=${name}]`).fill(words)
  await card.locator('[autocomplete=cc-number]').fill(number)
  await card.locator('[autocomplete=cc-exp]').fill('12 / 39')
  await card.locator('[autocomplete=cc-csc]').fill('123')
  await form.locator('form button[type=submit]').click()
}
const waitForRefusal = (page: Page) =>
  page.frameLocator('dialog iframe').locator('form [role=alert]').waitFor()
const waitForBank = (page: Page) =>
  page.frameLocator('dialog iframe').frameLocator('iframe:visible').locator('button').first().waitFor()
const withOrderStatus =
  (status: Parameters<Awaited<ReturnType<typeof mockOrderStatus>>>[0]) => async (page: Page) =>
    (await mockOrderStatus(page))(status)
const goOffline = async (page: Page) => {
  await page.waitForLoadState('networkidle')
  await page.context().setOffline(true)
  await page.locator('meta[name=offline]').waitFor({ state: 'attached' })
}
/** Opens a path offline, after the service worker has cached the release. */
const openOffline = (path: string) => async (page: Page) => {
  const isActivated = () => navigator.serviceWorker.controller?.state === 'activated'
  await page.waitForFunction(isActivated, undefined, { timeout: 60_000 })
  await page.context().setOffline(true)
  await page.goto(new URL(path, page.url()).href)
  await page.locator('[role=status] > p').first().waitFor()
}
const shopForm = async (page: Page) => {
  await page.locator('main li button').first().click()
  await page.frameLocator('dialog iframe').locator('form button[type=submit]:enabled').waitFor()
}
const player = async (page: Page) => {
  await page.locator('[data-player] video').first().waitFor()
  await page.mouse.move(200, 300)
}
const clickControl = (icon: string) => inSequence(player, click(`[data-player] [data-icon=${icon}]`))
const openSettings = async (page: Page) => {
  const buttons = page.locator('main button[aria-expanded=false]')
  for (let remaining = await buttons.count(); remaining > 0; remaining--) await buttons.first().click()
}

function home({ category, section }: Content): Shot[] {
  return [
    { name: 'home', path: '/' },
    { name: 'home of a member', path: '/', member: true },
    { name: 'home, end of the page', path: '/', act: scrollToEnd },
    { name: 'home, loading', path: '/login', before: holdResponses, act: click('header a') },
    { name: 'home, load error', path: '/login', before: dropResponses, act: click('header a') },
    { name: 'user menu of a guest', path: '/', act: click('[popovertarget=user-menu]') },
    { name: 'user menu of a member', path: '/', member: true, act: click('[popovertarget=user-menu]') },
    { name: 'browse menu', path: '/', act: click('[popovertarget=categories]') },
    { name: 'privacy', path: '/', act: click('footer button') },
    { name: 'browse', path: `/browse/${category}` },
    { name: 'more', path: `/more/${section}` },
    { name: 'feed of dramas', path: `/more/${section}?feed=` },
    { name: 'list, end of the page', path: `/more/${section}`, act: scrollToEnd },
    { name: 'list, loading', path: `/more/${section}`, before: holdResponses },
    { name: 'list, load error', path: `/more/${section}`, before: dropResponses },
    { name: 'list, unknown', path: '/browse/none' },
    { name: 'search', path: '/search' },
    { name: 'suggestions', path: '/search', act: type('input', 'the') },
    {
      name: 'search history',
      path: '/search',
      act: async (page) => {
        await page.evaluate(() =>
          localStorage.setItem(
            'search_history',
            JSON.stringify(['revenge at midnight', 'tower', 'a love that waits']),
          ),
        )
        await page.reload()
      },
    },
    { name: 'results', path: '/searchDetail/the' },
    { name: 'no results', path: '/searchDetail/qqzzxx' },
    { name: 'not found', path: '/nowhere' },
    { name: 'offline', path: '/', act: goOffline },
    { name: 'offline, opened again', path: '/', act: openOffline('/') },
    { name: 'offline, never opened before', path: '/', act: openOffline('/favorites') },
  ]
}

function watching({ video, plan }: Content): Shot[] {
  const locked = `${video}?episode=4`
  const wait = (milliseconds: number) => (page: Page) => page.waitForTimeout(milliseconds)
  const converting = { code: 409, info: { progress: 40 } }
  return [
    { name: 'video', path: video, act: player },
    { name: 'video, controls hidden', path: video, act: inSequence(player, wait(4000)) },
    { name: 'video, paused', path: video, act: inSequence(player, (page) => page.keyboard.press('k')) },
    { name: 'settings', path: video, act: clickControl('settings') },
    { name: 'shortcuts', path: video, act: inSequence(player, (page) => page.keyboard.press('?')) },
    { name: 'share', path: video, act: clickControl('share') },
    {
      name: 'episodes',
      path: video,
      act: async (page) => {
        await player(page)
        const list = page.locator('[data-player] [data-icon=list]').first()
        if (await list.isVisible()) await list.click()
        else await page.locator('aside').evaluate((panel) => panel.scrollTo(0, panel.scrollHeight))
      },
    },
    { name: 'video, loading', path: '/', act: openLoadingVideo(video) },
    {
      name: 'episode in processing',
      path: '/',
      act: (page) => answer('video/episode?episode_id*', converting)(page).then(() => goTo(page, video)),
    },
    { name: 'video, load error', path: '/', act: openFailingVideo(video) },
    { name: 'video, unknown', path: '/videos/vid_none' },
    { name: 'locked', path: locked },
    {
      name: 'locked, other ways to pay',
      path: locked,
      act: click('section[data-layout] button[aria-expanded]'),
    },
    { name: 'locked, a plan', path: locked, act: click('fieldset label:nth-of-type(3)') },
    { name: 'card form', path: locked, act: payForm },
    {
      name: 'card form, form errors',
      path: locked,
      act: inSequence(payForm, clickInForm('button[type=submit]')),
    },
    {
      name: 'card form, declined',
      path: locked,
      act: inSequence(payForm, payWith(cards.declined), waitForRefusal),
    },
    {
      name: 'card form, 3-D Secure',
      path: locked,
      act: inSequence(payForm, payWith(cards.asksBank), waitForBank),
    },
    {
      name: 'order form, without a frame',
      path: `/order/easy?kind=plan&id=${plan}&gateway=sandbox&method=card`,
    },
    { name: 'order form, wallet', path: `/order/easy?kind=plan&id=${plan}&gateway=sandbox&method=wallet` },
    { name: 'order form, nothing to pay', path: '/order/easy' },
    { name: 'order, pending', path: mockOrderPath, before: withOrderStatus('pending') },
    { name: 'order, paid', path: mockOrderPath, before: inSequence(setReturnPath, withOrderStatus('paid')) },
    { name: 'order, failed', path: mockOrderPath, before: withOrderStatus('failed') },
    { name: 'order, refunded', path: mockOrderPath, before: withOrderStatus('refunded') },
    { name: 'order, load error', path: mockOrderPath, before: withOrderStatus(null) },
    { name: 'order, unknown', path: '/order/result?order_id=ord_none' },
    { name: 'plans', path: '/shopping' },
    { name: 'plans of a subscriber', path: '/shopping', member: true },
    { name: 'plans, card form', path: '/shopping', act: shopForm },
    { name: 'plans, load error', path: '/my', act: openFailingPlans },
  ]
}

/**
 * Opens a page by a link on the homepage. If a page is opened by its URL, its HTML contains the first API responses, so
 * a test cannot delay or drop these responses.
 */
const openLoadingVideo = (video: string) => (page: Page) => holdResponses(page).then(() => goTo(page, video))
const openFailingVideo = (video: string) => (page: Page) => dropResponses(page).then(() => goTo(page, video))
const openFailingPlans = (page: Page) => dropResponses(page).then(() => goTo(page, '/shopping'))
const goTo = (page: Page, path: string) => page.locator(`main a[href^="${path}"]`).first().press('Enter')

function person(): Shot[] {
  const empty = answer('user/favorite*', { code: 200, data: { list: [], next_cursor: null } })
  return [
    { name: 'sign in', path: '/login' },
    { name: 'sign in, form errors', path: '/login', act: submit },
    {
      name: 'sign in, refused',
      path: '/login',
      act: inSequence(
        type('[type=email]', 'ada@example.com'),
        type('[type=password]', 'not this one'),
        submit,
      ),
    },
    {
      name: 'second factor',
      path: '/login',
      before: answer('user/login', { code: 401, info: { second_factor: 'totp' } }),
      act: inSequence(
        type('[type=email]', 'ada@example.com'),
        type('[type=password]', 'not this one'),
        submit,
      ),
    },
    { name: 'register', path: '/register' },
    { name: 'register, form errors', path: '/register', act: submit },
    { name: 'lost password', path: '/retrievePassword' },
    { name: 'new password', path: '/retrievePassword#reset=none' },
    { name: 'profile of a guest', path: '/individual' },
    { name: 'profile', path: '/individual', member: true },
    { name: 'profile, all settings open', path: '/individual', member: true, act: openSettings },
    { name: 'member area of a guest', path: '/my' },
    { name: 'member area', path: '/my', member: true },
    {
      name: 'member area, every order status',
      path: '/my',
      member: true,
      before: mockOrderList,
      act: scrollToLastOrder,
    },
    { name: 'receipt', path: '/my', member: true, act: click('main a[href*="receipt="]') },
    { name: 'member area, loading', path: '/my', before: holdResponses },
    { name: 'favorites, none', path: '/favorites', before: empty },
    { name: 'favorites', path: '/favorites', member: true },
    {
      name: 'favorites, edit',
      path: '/favorites',
      member: true,
      act: inSequence(click('main button'), click('main [type=checkbox]')),
    },
    { name: 'favorites, loading', path: '/favorites', before: holdResponses },
    { name: 'favorites, load error', path: '/favorites', before: dropResponses },
    { name: 'history, none', path: '/historys' },
    { name: 'history', path: '/historys', member: true },
    { name: 'unlocked, none', path: '/unlocked' },
    { name: 'unlocked', path: '/unlocked', member: true },
  ]
}

function texts(): Shot[] {
  return [
    { name: 'terms', path: '/serviceAgreement' },
    { name: 'privacy policy', path: '/privacyPolicy' },
    { name: 'refund policy', path: '/refundPolicy' },
    { name: 'content policy', path: '/contentPolicy' },
    { name: 'questions', path: '/commonQuestions' },
    { name: 'text, load error', path: '/commonQuestions', before: dropResponses },
    { name: 'contact', path: '/contactUs' },
    { name: 'contact, form errors', path: '/contactUs', act: submit },
  ]
}

export const shotsOf = (content: Content): Shot[] => [
  ...home(content),
  ...watching(content),
  ...person(),
  ...texts(),
]
