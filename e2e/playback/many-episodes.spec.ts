import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectProgress } from '#e2e/support/playback-and-payment.ts'

const count = 30

/** Extends the test drama to thirty episodes; the additional ones are still being converted. */
async function extendDrama(page: Page): Promise<void> {
  await page.route(/\/api\/video\/episode\?.*episode_id=ep_more/, (route) =>
    route.fulfill({ json: { code: 409, info: { progress: 10 } } }),
  )
  await page.route(/\/api\/video\/episode\?.*video_id=/, async (route) => {
    const response = await route.fetch()
    const { data, ...rest } = (await response.json()) as { data: { list: object[] } }
    const list = Array.from(
      { length: count },
      (_, i) => data.list[i] ?? { ...data.list[0], id: `ep_more_${i + 1}`, number: i + 1 },
    )
    await route.fulfill({ response, json: { ...rest, data: { ...data, list } } })
  })
}

const expectEpisode = (page: Page, number: string | number) =>
  expect(page).toHaveURL(new RegExp(`episode=${number}$`))

test('the episode number can be typed, or changed by pressing or holding a button, and the list stays open until an episode is chosen @screens', async ({
  page,
  isMobile,
}) => {
  await extendDrama(page)
  await page.goto('/')
  await page
    .getByRole('link', { name: /The Test Tower/ })
    .last()
    .click()
  await expectProgress(page)
  await page.keyboard.press('k')
  if (isMobile) await page.getByRole('button', { name: /^Episodes, / }).click()
  const list = page.getByRole('list', { name: 'Episodes' })
  const stepper = page.getByRole('group', { name: 'Go to episode' })
  const number = stepper.getByRole('spinbutton')
  const next = stepper.getByRole('button', { name: 'Next episode' })

  await number.fill('')
  await number.pressSequentially('12')
  await expect(number).toHaveValue('12')
  await expect(page).not.toHaveURL(/episode=1/)
  await page.keyboard.press('Enter')
  await expectEpisode(page, 12)
  await page.keyboard.press('ArrowUp')
  await expectEpisode(page, 13)

  // The second click comes before the page has updated.
  await next.dblclick()
  await expectEpisode(page, 15)
  await next.hover()
  await page.mouse.down()
  await expect.poll(async () => Number(await number.inputValue())).toBeGreaterThan(17)
  await page.mouse.up()
  await expectEpisode(page, await number.inputValue())

  await number.fill('20')
  await page.keyboard.press('Tab')
  await expectEpisode(page, 20)
  await number.fill('99')
  await page.keyboard.press('Enter')
  await expectEpisode(page, count)
  await expect(next).toBeDisabled()
  await expect(list).toBeVisible() // stays

  await list.getByRole('button', { name: /^Episode 21\b/ }).click()
  await expectEpisode(page, 21)
  if (isMobile) await expect(list).toHaveCount(0)
})
