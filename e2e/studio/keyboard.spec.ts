import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectAccessible } from '#e2e/support/page-quality.ts'
import { inviteOperator, createLabelledDraft, openStudioWithSession } from '#e2e/support/studio.ts'
import { walkByTab, type TabStop } from '#e2e/support/tab-walk.ts'
import { expectPlaying, lockedPanel, payByCard, towerUrl } from '#e2e/support/playback-and-payment.ts'

type Texts = { [key: string]: string | Texts }

const folder = join(import.meta.dirname, '../../web/studio/texts')
const textsOf = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Texts
const leavesOf = (texts: Texts, path = ''): [string, string][] =>
  Object.entries(texts).flatMap(([key, text]): [string, string][] =>
    typeof text === 'string' ? [[`${path}.${key}`, text]] : leavesOf(text, `${path}.${key}`),
  )

const germanTexts = new Set(
  readdirSync(folder)
    .filter((file) => file.startsWith('dy.'))
    .flatMap((file) => leavesOf(textsOf(file)))
    .map(([, text]) => text),
)

test.use({ bypassCSP: true })

/** Patterns of the studio's English texts, except texts that are the same in German. Placeholders match any value. */
const english = readdirSync(folder)
  .filter((file) => file.startsWith('en.'))
  .flatMap((file) => {
    const german = new Map(leavesOf(textsOf(file.replace('en.', 'dy.'))))
    return leavesOf(textsOf(file)).filter(([key, text]) => german.get(key) !== text)
  })
  .map(([, text]) => text)
  .filter((text) => !germanTexts.has(text))
  .filter((text) => /\p{L}{2}/u.test(text.replaceAll(/\{\{\w+\}\}/g, '')))
  .map(
    (text) => new RegExp(`^${text.replaceAll(/[.*+?()|[\]\\]/g, '\\$&').replaceAll(/\{\{\w+\}\}/g, '.+')}$`),
  )

/**
 * Returns true if the second stop should be reached before the first: it is above the first and not in a column to the
 * right of it, or to the left of the first in the same row.
 */
const isBefore = ({ position: first }: TabStop, { position: second }: TabStop) => {
  const isAbove = second.bottom <= first.top + 4 && second.left < first.right - 4
  const isInRow = second.top < first.bottom - 4 && second.bottom > first.top + 4
  return isAbove || (isInRow && second.right <= first.left + 4)
}

/** Returns the faults of a page's tab stops as texts. */
function faultsOf(stops: TabStop[]): string[] {
  const names = stops.filter(({ kind }) => kind === 'button').map((stop) => stop.name)
  return stops.flatMap((stop, index) => {
    const { name, kind, reached, hasRing, isSeen } = stop
    const before = stops[index - 1]
    const faults = {
      'is never reached': !reached,
      'shows no focus': reached && !hasRing,
      'is covered': reached && !isSeen,
      'has no name': name === '',
      'has the name of another button': kind === 'button' && names.indexOf(name) !== names.lastIndexOf(name),
      'has an English name': english.some((text) => text.test(name)),
      [`comes after ${before?.name}`]: before && before.reached && reached && isBefore(before, stop),
    }
    return Object.entries(faults).flatMap(([fault, is]) => (is ? `${kind} “${name}” ${fault}` : []))
  })
}

/**
 * Creates content in every area.
 * @returns each page, with language-independent selectors of the buttons that open its sheets
 */
async function fillStudio(page: Page, browser: Browser): Promise<[path: string, ...openers: string[]][]> {
  const viewer = await browser.newPage()
  const tower = await towerUrl(viewer, 4)
  await viewer.goto(tower)
  await lockedPanel(viewer, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  await payByCard(viewer, { number: '4242 4242 4242 4242' })
  await expectPlaying(viewer, 4)
  const read = async <Answer>(path: string) => (await (await viewer.request.get(path)).json()) as Answer
  const { info: person } = await read<{ info: { id: string } }>('/api/user')
  const { data: orders } = await read<{ data: { list: { id: string }[] } }>('/api/payment')
  const { data: plans } = await read<{ data: { list: { id: string }[] } }>('/api/plan')
  await viewer.close()
  await openStudioWithSession(page, 'owner')
  await inviteOperator('editor')
  const draft = await createLabelledDraft(page, { tags: ['a key'] })
  const video = /vid_\w+/.exec(tower)?.[0]
  return [
    [''],
    ['/videos', 'main header button'],
    ['/videos/labels', 'tbody button >> nth=-1'],
    [
      `/videos/${video}`,
      '#cover button >> nth=1',
      '#episodes [aria-label]:not([data-step])',
      'main header button',
    ],
    [`/videos/${draft}`, 'main header button >> nth=1'],
    ['/homepage'],
    ['/homepage/texts'],
    ['/homepage/texts/privacyPolicy/dy'],
    ['/homepage/icon'],
    ['/payments'],
    [`/payments/orders/${orders.list[0]?.id}`, 'main button[class*=danger]'],
    ['/payments/disputes'],
    ['/payments/reconciliation'],
    [`/customers?keyword=${person.id}`],
    [`/customers/${person.id}`, 'main table button', 'main button[class*=danger]'],
    ['/plans'],
    ['/plans/new'],
    [`/plans/${plans.list[0]?.id}`],
    ['/analytics'],
    [`/analytics/videos/${video}`],
    ['/experiments'],
    ['/experiments/new'],
    ['/team', 'main table button >> nth=0', 'main table button >> nth=1'],
    ['/system'],
    ['/settings', 'main button'],
  ]
}

test(
  'Tab reaches every control of the studio in page order with a visible focus, each has a German name, and axe reports no violations',
  { tag: ['@screens', '@desktop'] },
  async ({ page, browser }) => {
    for (const [path, ...openers] of await fillStudio(page, browser)) {
      await page.goto(`/studio${path}${path.includes('?') ? '&' : '?'}lang=dy`)
      await expect(page.locator('main h1')).toBeVisible()
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
      await expectAccessible(page)
      const stops = await walkByTab(page)
      expect.soft(faultsOf(stops), path).toEqual([])
      for (const selector of openers) {
        const opener = page.locator(selector).first()
        await opener.focus()
        await page.keyboard.press('Enter')
        await expect(page.getByRole('dialog')).toBeVisible()
        await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
        await expectAccessible(page)
        expect.soft(faultsOf(await walkByTab(page)), `${path}, ${selector}`).toEqual([])
        await page.keyboard.press('Escape')
        await expect(page.getByRole('dialog')).toHaveCount(0)
        await expect.soft(opener, path).toBeFocused()
      }
    }
  },
)
