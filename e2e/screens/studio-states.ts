import type { Page } from '@playwright/test'
import { answer, click, inSequence, submit, type, type Shot } from './screen-states.ts'

/** Ids of content in the running site's studio; undefined if there is none of that kind. */
interface StudioContent {
  video: string | undefined
  draft: string | undefined
  order: string | undefined
  refunded: string | undefined
  customer: string | undefined
  plan: string | undefined
  results: string[]
}

const none = { code: 200, data: { list: [], next_cursor: null } }
const studioPath = '/studio'
type Act = NonNullable<Shot['act']>

/** Returns the screenshot of a studio page for a signed-in operator, after the `actions`. */
const studioScreen = (name: string, path: string, ...actions: Act[]): Shot => ({
  name,
  path: studioPath + path,
  member: true,
  act: inSequence(...actions),
})
/** Like `studioScreen`, with delayed, missing or replaced responses. */
const studioScreenWith = (name: string, path: string, before: Act, ...actions: Act[]): Shot => ({
  ...studioScreen(name, path, ...actions),
  before,
})
const part = (index: number) => `main section section >> nth=${index}`
const scrollToElement =
  (selector: string): Act =>
  (page) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => element.scrollIntoView({ block: 'start' }))
const scrollToPart = (index: number) => scrollToElement(part(index))
const inSheet = (selector: string) => click(`dialog ${selector}`)
const press =
  (selector: string, index: number): Act =>
  (page) =>
    page.locator(selector).nth(index).click()

/** Returns ids of content, found as the signed-in operator. A list that the operator may not read counts as empty. */
export async function findStudioContent(page: Page, url: string): Promise<StudioContent> {
  const list = async (path: string) => {
    const response = await page.request.get(`${url}/api/studio/${path}`)
    const { data } = (await response.json()) as { data?: { list: Record<string, string>[] } }
    return data?.list ?? []
  }
  const idOf = async (path: string, field = 'id') => (await list(path))[0]?.[field]
  const experiments = (await list('experiments')).filter(({ state }) => state !== 'draft')
  return {
    video: await idOf('system/files', 'video_id').then((id) => id ?? idOf('videos?state=published')),
    draft: await idOf('videos?state=draft'),
    order: await idOf('orders?status=paid'),
    refunded: (await idOf('orders?status=partially_refunded')) ?? (await idOf('orders?status=refunded')),
    customer:
      (await idOf('orders?status=partially_refunded', 'user_id')) ?? (await idOf('orders', 'user_id')),
    plan: await idOf('plans'),
    results: experiments.flatMap(({ id }) => id ?? []),
  }
}

/**
 * Returns the screenshots of all studio pages, with their dialogs, form errors, empty states and loading states. Pages
 * of content that is absent are skipped.
 */
export const studioShotsOf = (content: StudioContent): Shot[] => [
  ...signInPages(),
  ...videos(content),
  ...homepage(),
  ...payments(content),
  ...customers(content),
  ...plans(content),
  ...analytics(content),
  ...systemPages(),
]

function signInPages(): Shot[] {
  const mockSecondFactor = answer('studio/session', { code: 401, info: { second_factor: 'totp' } })
  const invited = {
    code: 200,
    info: {
      email: 'friederike.von-hohenzollern@example.com',
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      otpauth_url:
        'otpauth://totp/Cliffhanger:friederike@example.com?secret=JBSWY3DPEHPK3PXP&issuer=Cliffhanger',
    },
  }
  const welcome = `${studioPath}/welcome#invitation=made-up`
  const sendAddress = inSequence(
    type('[type=email]', 'owner@example.com'),
    type('[type=password]', 'not this one'),
    submit,
  )
  return [
    { name: 'sign in', path: studioPath },
    { name: 'sign in, form errors', path: studioPath, act: submit },
    {
      name: 'sign in, second factor',
      path: studioPath,
      act: async (page) => {
        await mockSecondFactor(page)
        await sendAddress(page)
      },
    },
    { name: 'welcome', path: welcome, before: answer('studio/invitation/begin', invited) },
    {
      name: 'welcome, form errors',
      path: welcome,
      before: answer('studio/invitation/begin', invited),
      act: inSequence(submit, scrollToElement('main button[type=submit]')),
    },
    { name: 'welcome, used link', path: welcome },
    studioScreen('start', ''),
    studioScreen('not found', '/nowhere'),
  ]
}

/** Returns the screenshots of the content with this id, or none without an id. */
const shotsIf = (id: string | undefined, shots: (id: string) => Shot[]): Shot[] =>
  id === undefined ? [] : shots(id)

function videos({ video, draft }: StudioContent): Shot[] {
  const rows = '#episodes li'
  const seasonFiles = (files: string[]) => (page: Page) =>
    page
      .locator('input[type=file][multiple]')
      .first()
      .setInputFiles(
        files.map((name) => ({
          name,
          mimeType: 'application/octet-stream',
          buffer: Buffer.from('WEBVTT\n'),
        })),
      )
  return [
    studioScreen('videos', '/videos'),
    studioScreen(
      'videos, new video, form errors',
      '/videos',
      click('main header button'),
      inSheet('[type=submit]'),
    ),
    studioScreen('videos, none found', '/videos?q=qqzzxx'),
    studioScreenWith('videos, loading', '/videos', slowList('videos')),
    studioScreenWith('videos, load error', '/videos', failing('videos')),
    studioScreen('labels', '/videos/labels'),
    studioScreen('labels, tags', '/videos/labels', scrollToPart(1)),
    studioScreen('labels, rename', '/videos/labels', click(`${part(0)} >> li >> button[class*=quiet]`)),
    studioScreen('labels, merge', '/videos/labels', press('main table tbody tr >> nth=0 >> button', 1)),
    studioScreen('labels, delete', '/videos/labels', press('main table tbody tr >> nth=0 >> button', 2)),
    ...shotsIf(video, (id) => {
      const page = `/videos/${id}`
      return [
        studioScreen('video', page),
        studioScreen('video, episodes', page, scrollToElement(`${rows}:last-child`)),
        studioScreen('video, episode titles', page, click(`#episodes button[aria-label]:not([data-step])`)),
        studioScreen('video, cover', page, scrollToElement('#cover')),
        studioScreen('video, frame for the cover', page, press('#cover button', 1)),
        studioScreen('video, texts', page, scrollToElement('#texts')),
        studioScreen('video, details', page, scrollToElement('#details')),
        studioScreen('video, preview', page, scrollToElement('#preview')),
        studioScreen('video, archive confirmation', page, click('main header button')),
      ]
    }),
    ...shotsIf(draft, (id) => [
      studioScreen('draft', `/videos/${id}`),
      studioScreen('draft, schedule', `/videos/${id}`, press('main header button', 1)),
      studioScreen(
        'draft, season selected',
        `/videos/${id}`,
        seasonFiles([
          'Summer S01E01.mp4',
          'Summer S01E04.mp4',
          'Summer S01E01.de.vtt',
          'notes.txt',
          'E09.en.vtt',
        ]),
      ),
    ]),
  ]
}

function homepage(): Shot[] {
  const text = '/homepage/texts/privacyPolicy/dy'
  return [
    studioScreen('homepage', '/homepage'),
    studioScreen(
      'homepage, a new section',
      '/homepage',
      press(`${part(0)} >> :scope > button`, 0),
      scrollToElement('main ol > li:last-child'),
    ),
    studioScreen('homepage, menu and appearance', '/homepage', scrollToPart(1)),
    studioScreen('homepage, preview', '/homepage', scrollToElement('main iframe')),
    studioScreen('texts', '/homepage/texts'),
    studioScreen('text', text),
    studioScreen('text, preview', text, scrollToElement('main section[aria-label] > h2')),
    studioScreen('icon', '/homepage/icon'),
  ]
}

function payments({ order, refunded }: StudioContent): Shot[] {
  const page = '/payments/orders'
  return [
    studioScreen('orders', '/payments'),
    studioScreenWith('orders, none', '/payments', answer('studio/orders*', none)),
    ...shotsIf(order, (id) => [
      studioScreen('order', `${page}/${id}`),
      studioScreen('order, ledger', `${page}/${id}`, scrollToElement('table >> nth=1')),
      studioScreen(
        'order, refund, form errors',
        `${page}/${id}`,
        click('button[class*=danger]'),
        inSheet('[type=submit]'),
      ),
    ]),
    ...shotsIf(refunded, (id) => [
      studioScreen('order, partially refunded', `${page}/${id}`, scrollToElement('table >> nth=1')),
    ]),
    studioScreen('disputes', '/payments/disputes'),
    studioScreen('reconciliation', '/payments/reconciliation'),
  ]
}

function customers({ customer }: StudioContent): Shot[] {
  return [
    studioScreen('customers', '/customers'),
    studioScreen('customers, found', '/customers?keyword=ada'),
    studioScreen('customers, none found', '/customers?keyword=nobody@example.com'),
    ...shotsIf(customer, (id) => {
      const page = `/customers/${id}`
      return [
        studioScreen('customer', page),
        studioScreen('customer, entitlements', page, scrollToPart(1)),
        studioScreen('customer, watch history', page, scrollToPart(3)),
        studioScreen('customer, grant, form errors', page, click('form [type=submit]')),
        studioScreenWith(
          'customer, entitlement granted',
          page,
          answer('studio/entitlements', { code: 200, info: { id: 'ent_1', ends_at: null } }),
          type('[name=reason]', 'goodwill'),
          click('form [type=submit]'),
        ),
        studioScreen('customer, revocation dialog', page, click('table button')),
        studioScreen('customer, deletion dialog', page, click('button[class*=danger]')),
      ]
    }),
  ]
}

function plans({ plan }: StudioContent): Shot[] {
  return [
    studioScreen('plans', '/plans'),
    studioScreen('plan, new', '/plans/new', click('main form [type=submit]')),
    ...shotsIf(plan, (id) => [
      studioScreen('plan', `/plans/${id}`),
      studioScreen('plan, members', `/plans/${id}`, scrollToElement('table')),
    ]),
  ]
}

function analytics({ results, video }: StudioContent): Shot[] {
  return [
    studioScreen('analytics', '/analytics'),
    studioScreen('analytics, by day', '/analytics', scrollToElement('main table >> nth=0')),
    studioScreen('analytics, funnel', '/analytics', scrollToPart(1)),
    studioScreen('analytics, links', '/analytics', scrollToElement('main form')),
    studioScreen(
      'analytics, one link',
      '/analytics',
      click('main section section:last-of-type table button'),
    ),
    studioScreen('analytics, new link, form errors', '/analytics', click('main form [type=submit]')),
    ...shotsIf(video, (id) => [
      studioScreen('drop-off', `/analytics/videos/${id}`),
      studioScreen('drop-off, table', `/analytics/videos/${id}`, scrollToElement('main table')),
    ]),
    studioScreen('experiments', '/experiments'),
    studioScreenWith('experiments, none', '/experiments', answer('studio/experiments*', none)),
    studioScreen('experiment, new', '/experiments/new', click('main form [type=submit]')),
    ...results.flatMap((id, index) => [
      studioScreen(`experiment ${index + 1}`, `/experiments/${id}`),
      studioScreen(`experiment ${index + 1}, result`, `/experiments/${id}`, scrollToElement('main svg')),
    ]),
  ]
}

function systemPages(): Shot[] {
  return [
    studioScreen('team', '/team'),
    studioScreen('team, link created', '/team', createdLink),
    studioScreen('team, removal dialog', '/team', press('main table button', 1)),
    studioScreen('team, audit log', '/team', scrollToPart(1)),
    studioScreen(
      'team, one audit event',
      '/team',
      click('main section section:last-of-type table :is(button, summary)'),
    ),
    studioScreen('system', '/system'),
    studioScreenWith('system, with failures', '/system', withFailures),
    studioScreenWith('system, jobs that failed', '/system', withFailures, scrollToPart(2)),
    studioScreen('system, files that failed', '/system', scrollToPart(1)),
    studioScreenWith('system, load error', '/system', failing('system/*')),
    studioScreen('settings', '/settings'),
    studioScreen('settings, languages', '/settings', scrollToPart(1)),
    studioScreen('settings, mails and limits', '/settings', scrollToPart(2)),
    studioScreen('settings, secrets', '/settings', scrollToElement('main dl')),
    studioScreen('settings, maintenance confirmation', '/settings', click(`${part(0)} >> button`)),
  ]
}

const slowList = (path: string) => (page: Page) => page.route(`**/api/studio/${path}*`, () => {})
const failing = (path: string) => (page: Page) =>
  page.route(`**/api/studio/${path}*`, (route) => route.fulfill({ status: 500, body: '' }))

/** Replaces the response, so that no operator is added for a screenshot. */
const createdLink: Act = async (page) => {
  const email = 'eva@example.com'
  const info = {
    operator: { email, role: 'editor', active: false, last_seen_at: null },
    link: 'https://drama.example/studio/welcome#invitation=5dQmVbFzvVd6wMw2uQ0zZC1x',
    expires_at: '2027-01-02T10:00:00.000Z',
  }
  await answer('studio/operators/add', { code: 200, info })(page)
  await type('main form [type=email]', email)(page)
  await submit(page)
}

/** Modifies the response so that two jobs fail. */
const withFailures: Act = async (page) => {
  await page.route('**/api/studio/system/jobs*', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { data: { list: object[] } }
    const since = '2026-11-20T08:00:00.000Z'
    const broken = {
      state: 'failing',
      failures: 4,
      failing_since: since,
      last_error: 'connect ECONNREFUSED 10.0.0.7:443',
    }
    body.data.list = body.data.list.map((job, index) => (index < 2 ? { ...job, ...broken } : job))
    await route.fulfill({ response, json: body })
  })
}
