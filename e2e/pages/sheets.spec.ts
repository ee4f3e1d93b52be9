import { expect, test } from '#e2e/support/fixtures.ts'
import { activateWithKeyboard, tabTo } from '#e2e/support/keyboard.ts'
import { expectProgress, expectPlaying } from '#e2e/support/playback-and-payment.ts'

test('the sheets of the player trap the focus and restore it @screens @sizes', async ({ page, isMobile }) => {
  await page.goto('/')
  await activateWithKeyboard(page, page.getByRole('link', { name: /The Test Tower/ }))
  await expectProgress(page)
  await page.keyboard.press('k')
  const dialog = page.getByRole('dialog')
  for (const [button, title] of [
    ['Settings', 'Settings'],
    ['Share', 'Share'],
  ] as const) {
    const opener = page.getByRole('button', { name: button, exact: true })
    await activateWithKeyboard(page, opener)
    await expect(dialog).toHaveAccessibleName(title)
    for (let presses = 0; presses < 15; presses++) {
      await page.keyboard.press('Tab')
      // The focus may also move to the browser's toolbar, but not to the page behind the sheet.
      expect(await page.evaluate(() => document.activeElement?.closest('main, dialog')?.tagName)).not.toBe(
        'MAIN',
      )
    }
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await expect(opener).toBeFocused()
  }

  await activateWithKeyboard(page, page.getByRole('button', { name: 'Settings', exact: true }))
  await tabTo(page, dialog.getByRole('radio', { name: 'Normal' }))
  await page.keyboard.press('ArrowRight')
  await expect(dialog.getByRole('radio', { name: '1.25×' })).toBeChecked()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)

  await page.keyboard.press('?')
  await expect(dialog).toHaveAccessibleName('Keyboard shortcuts')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)

  if (isMobile) await activateWithKeyboard(page, page.getByRole('button', { name: 'Episodes' }))
  await activateWithKeyboard(page, page.getByRole('button', { name: /^Episode 2\b/ }))
  await expectPlaying(page, 2)
})
