import { expect, test } from '#e2e/support/fixtures.ts'
import { activateWithKeyboard } from '#e2e/support/keyboard.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { siteUrl } from '#e2e/support/site-url.ts'
import { openStudioWithSession, inviteOperator } from '#e2e/support/studio.ts'
import { findStudioContent, studioShotsOf } from './studio-states.ts'

test.use({ bypassCSP: true })

/** The studio's sheets, by their page and the button that opens them. */
const sheets = {
  en: [
    ['/studio/videos', 'New video'],
    ['/studio/videos/labels', /^Rename /],
    ['/studio/videos/labels', /^Merge /],
    ['/studio/videos/labels', /^Delete /],
    ['/studio/settings', 'Enable maintenance mode'],
    ['/studio/team', 'Reset access'],
    ['/studio/team', 'Remove'],
  ],
  dy: [
    ['/studio/videos', 'Neues Video'],
    ['/studio/videos/labels', /^Umbenennen /],
    ['/studio/videos/labels', /^Zusammenlegen /],
    ['/studio/videos/labels', /^Löschen /],
    ['/studio/settings', 'Wartungsmodus einschalten'],
    ['/studio/team', 'Zugang zurücksetzen'],
    ['/studio/team', 'Entfernen'],
  ],
} as const

for (const language of ['en', 'dy'] as const)
  test(`every sheet of the studio opens by key, is accessible, and restores the focus, in ${language}`, async ({
    page,
  }) => {
    // The team page offers to reset or remove this second operator.
    await inviteOperator('analyst')
    await openStudioWithSession(page, 'owner')
    for (const [path, name] of sheets[language]) {
      await page.goto(`${path}?lang=${language}`)
      const opener = page.locator('main').getByRole('button', { name }).first()
      await activateWithKeyboard(page, opener)
      const dialog = page.getByRole('dialog')
      await expect(dialog).toBeVisible()
      expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
      await expectAccessible(page)
      await expectNoOverflow(page)
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
      await expect(opener).toBeFocused()
    }
  })

for (const role of ['owner', 'editor'] as const)
  test(`the screenshots of the studio skip content that is absent, for an ${role}`, async ({ page }) => {
    // The site has no orders, and an editor may not list orders.
    await openStudioWithSession(page, role)
    const shots = studioShotsOf(await findStudioContent(page, siteUrl))
    expect(shots.filter(({ path }) => path.includes('undefined'))).toEqual([])
    const names = shots.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['orders', 'video', 'customers']))
    expect(names).not.toContain('order')
  })
