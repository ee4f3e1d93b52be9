import type { CDPSession, Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible, narrowPhone } from '#e2e/support/page-quality.ts'
import { createDraft, uploadFilms, openStudioWithSession } from '#e2e/support/studio.ts'
import { tinyVideo } from '#e2e/support/tiny-video.ts'

test.use({ bypassCSP: true })

const count = 6
const episodeTitles = Array.from({ length: count }, (_, index) => `Tale ${index + 1}`)

const rowsOf = (page: Page) => page.locator('#episodes ol > li')
const orderOf = (page: Page) => page.locator('#episodes ol > li strong').allTextContents()

/** Returns the stored order of the episodes. */
async function readStoredOrder(page: Page, id: string): Promise<string[]> {
  const answer = await page.request.get(`/api/studio/episodes?video_id=${id}`)
  const { data } = (await answer.json()) as { data: { list: { titles: { en: string } }[] } }
  return data.list.map(({ titles }) => titles.en)
}

/** Opens the page of a draft with a newly uploaded season. @returns the draft's id */
async function openSeason(page: Page): Promise<string> {
  await openStudioWithSession(page, 'editor')
  const id = await createDraft(page, 'A season to put in order')
  await uploadFilms(page, id, Array<Buffer>(count).fill(await tinyVideo()))
  await page.goto(`/studio/videos/${id}`)
  await expect(rowsOf(page)).toHaveCount(count)
  return id
}

/** Like `openSeason`, but waits for the conversion, because changes of the rows would move the drop target. */
async function openConvertedSeason(page: Page): Promise<string> {
  const id = await openSeason(page)
  await expect(page.locator('#episodes').getByText(/· Ready/)).toHaveCount(count)
  return id
}

/** Drags with a mouse, or with a finger on a phone. */
interface DragPointer {
  press: (at: Point) => Promise<void>
  move: (to: Point) => Promise<void>
  release: () => Promise<void>
}

interface Point {
  x: number
  y: number
}

const createMousePointer = (page: Page): DragPointer => ({
  press: async ({ x, y }) => {
    await page.mouse.move(x, y)
    await page.mouse.down()
  },
  move: ({ x, y }) => page.mouse.move(x, y, { steps: 5 }),
  release: () => page.mouse.up(),
})

function createTouchPointer(devtools: CDPSession): DragPointer {
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: Point[]) =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints })
  return {
    press: async (at) => void (await touch('touchStart', [at])),
    move: async (to) => void (await touch('touchMove', [to])),
    release: async () => void (await touch('touchEnd', [])),
  }
}

const createPointer = async (page: Page, isFinger: boolean): Promise<DragPointer> =>
  isFinger ? createTouchPointer(await page.context().newCDPSession(page)) : createMousePointer(page)

/** Returns the centre of a row's handle. */
async function handleCentre(page: Page, position: number): Promise<Point> {
  const handle = rowsOf(page)
    .nth(position - 1)
    .getByTitle('Drag to reorder')
  const { x, y, width, height } = (await handle.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  return { x: x + width / 2, y: y + height / 2 }
}

/** Returns the vertical centre of a row. */
const rowCentre = (page: Page, position: number) =>
  rowsOf(page)
    .nth(position - 1)
    .evaluate((row) => (row.getBoundingClientRect().top + row.getBoundingClientRect().bottom) / 2)

test('an episode dragged with a mouse or a finger keeps its new place, also after a reload @sizes', async ({
  page,
  isMobile,
}) => {
  const id = await openConvertedSeason(page)
  const pointer = await createPointer(page, isMobile)
  await rowsOf(page)
    .nth(1)
    .evaluate((row) => row.scrollIntoView({ block: 'center' }))
  const scrolled = await page.evaluate(() => scrollY)
  const { x, y } = await handleCentre(page, 1)
  await pointer.press({ x, y })
  await pointer.move({ x, y: (await rowCentre(page, 3)) + 10 })
  await expect(rowsOf(page).nth(2)).toHaveAttribute('data-drop', 'after')
  await pointer.release()
  const moved = ['Tale 2', 'Tale 3', 'Tale 1', ...episodeTitles.slice(3)]
  await expect.poll(() => orderOf(page)).toEqual(moved)
  await expect.poll(() => readStoredOrder(page, id)).toEqual(moved)
  expect(await page.evaluate(() => scrollY)).toBe(scrolled)
  await expect(page.getByText('Episode 1 is now number 3 of 6.')).toBeAttached()
  await expectAccessible(page)
  await expectNoOverflow(page)

  await pointer.press(await handleCentre(page, 2))
  await pointer.move({ x, y: (await rowCentre(page, 1)) - 10 })
  await expect(rowsOf(page).first()).toHaveAttribute('data-drop', 'before')
  await page.keyboard.press('Escape')
  await expect(rowsOf(page).first()).not.toHaveAttribute('data-drop')
  await pointer.release()
  await page.reload()
  await expect(rowsOf(page)).toHaveCount(count)
  await expect.poll(() => orderOf(page)).toEqual(moved)
})

test('dragging an episode to the edge of the window scrolls the list @screens @sizes', async ({
  page,
  isMobile,
}) => {
  const id = await openConvertedSeason(page)
  const pointer = await createPointer(page, isMobile)
  const { width, height } = narrowPhone
  await page.setViewportSize({ width, height })
  await rowsOf(page)
    .first()
    .evaluate((row) => row.scrollIntoView({ block: 'center' }))
  const start = await handleCentre(page, 1)
  await pointer.press(start)
  await pointer.move({ x: start.x, y: height - 2 })
  await expect(rowsOf(page).last()).toHaveAttribute('data-drop', 'after')
  await pointer.release()
  await expect.poll(() => readStoredOrder(page, id)).toEqual([...episodeTitles.slice(1), 'Tale 1'])
})

test('keys move an episode by one place or to an end without delay, keep the focus on it, and announce each move @desktop', async ({
  page,
}) => {
  const id = await openSeason(page)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const expectAnnounced = (words: string) =>
    expect(page.getByRole('status').filter({ hasText: words })).toBeAttached()
  await button('Move Episode 3 down').focus()
  for (const position of [4, 5]) {
    await page.keyboard.press('Enter')
    await expectAnnounced(`Episode ${position - 1} is now number ${position} of 6.`)
  }
  await expect(button('Move Episode 5 down')).toBeFocused()
  const moved = episodeTitles.filter((title) => title !== 'Tale 3')
  expect(await orderOf(page)).toEqual(moved.toSpliced(4, 0, 'Tale 3'))
  await page.keyboard.press('Home')
  await expectAnnounced('Episode 5 is now number 1 of 6.')
  await expect(button('Move Episode 1 down')).toBeFocused()
  await page.keyboard.press('End')
  await expectAnnounced('Episode 1 is now number 6 of 6.')
  await expect(button('Move Episode 6 up')).toBeFocused()
  const last = [...moved, 'Tale 3']
  expect(await orderOf(page)).toEqual(last)
  await expect.poll(() => readStoredOrder(page, id)).toEqual(last)
})
