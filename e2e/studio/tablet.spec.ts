import { expect, test } from '#e2e/support/fixtures.ts'
import { expectFits, expectReadable } from '#e2e/support/page-quality.ts'
import { enterStudio } from '#e2e/support/studio.ts'

test.use({ bypassCSP: true, viewport: { width: 820, height: 1180 } })

const pages = ['content', 'content/names', 'homepage/texts', 'money', 'plans', 'growth', 'team', 'running']

for (const language of ['en', 'dy'] as const)
  test(
    `the tables of the studio fit a tablet, and who is signed in waits behind a button, in ${language}`,
    { tag: '@screens' },
    async ({ page }) => {
      test.setTimeout(300_000)
      await enterStudio(page, 'owner')
      for (const path of pages) {
        await page.goto(`/studio/${path}?lang=${language}`)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await expect(page.locator('main [aria-busy=true]')).toHaveCount(0)
        await expectFits(page)
        const scrolled = await page
          .locator('main [role=region]')
          .evaluateAll((frames) =>
            frames
              .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
              .map((each) => each.ariaLabel),
          )
        expect.soft(scrolled, path).toEqual([])
      }
      const name = language === 'en' ? 'Account and language' : 'Konto und Sprache'
      const signOut = page.getByRole('button', { name: language === 'en' ? 'Sign out' : 'Abmelden' })
      await expect(signOut).toBeHidden()
      await page.getByRole('button', { name }).click()
      await expect(signOut).toBeVisible()
      await expectReadable(page)
      // It is shut again on the next page.
      await page.getByRole('navigation').getByRole('link', { name: 'Videos' }).click()
      await expect(signOut).toBeHidden()
    },
  )
