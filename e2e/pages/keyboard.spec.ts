import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { activateWithKeyboard, tabTo, typeInto } from '#e2e/support/keyboard.ts'
import {
  cardForm,
  expectProgress,
  expectPlaying,
  lockedPanel,
  repeatEpisode,
} from '#e2e/support/playback-and-payment.ts'

const tower = /The Test Tower/

async function openTower(page: Page): Promise<void> {
  await page.goto('/')
  await activateWithKeyboard(page, page.getByRole('link', { name: tower }))
  await expectProgress(page)
}

test('a viewer reaches and pays for an episode from the homepage with the keyboard only @desktop', async ({
  page,
}) => {
  await page.goto('/')
  await expect(page.getByRole('link', { name: tower }).first()).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip' })).toBeFocused()
  await expect(page.getByRole('link', { name: 'Skip' })).toBeInViewport()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.locator('main :focus')).toHaveCount(1)
  await activateWithKeyboard(page, page.getByRole('link', { name: tower }))
  await expectProgress(page)
  await page.keyboard.press('n')
  await expectPlaying(page, 2)
  await page.keyboard.press('ArrowDown')
  await expectPlaying(page, 3)
  await page.keyboard.press('n')

  const panel = lockedPanel(page, 4)
  await tabTo(page, panel.getByRole('radio').first())
  await page.keyboard.press('ArrowDown')
  await expect(panel.getByRole('button', { name: 'Pay $9.99' })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(panel.getByRole('button', { name: 'Subscribe for $4.99' })).toBeVisible()
  await activateWithKeyboard(page, panel.getByRole('button', { name: 'Subscribe for $4.99' }))

  const { form, card } = cardForm(page)
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(panel.getByRole('button', { name: 'Subscribe for $4.99' })).toBeFocused()
  const offers = panel.getByRole('group', { name: 'Choose how to watch' })
  await tabTo(page, offers.getByRole('radio'), 'Shift+Tab')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await activateWithKeyboard(page, panel.getByRole('button', { name: 'Pay $0.99' }))
  await typeInto(page, form.getByLabel('E-mail'), 'ada@example.com')
  await typeInto(page, form.getByLabel('First name'), 'Ada')
  await typeInto(page, form.getByLabel('Last name'), 'Lovelace')
  await typeInto(page, card.getByLabel('Card number'), '4242424242424242')
  await typeInto(page, card.getByLabel('Expiry'), '1239')
  await typeInto(page, card.getByLabel('CVV'), '123')
  await activateWithKeyboard(page, form.getByRole('button', { name: 'Pay $0.99' }))
  await expectPlaying(page, 4)
  await page.keyboard.press('k')
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible()
})

test('the buttons of the player keep the focus from one episode to the next @desktop', async ({ page }) => {
  await openTower(page)
  const next = page.getByRole('button', { name: 'Next episode' })
  await activateWithKeyboard(page, next)
  await expectPlaying(page, 2)
  await expect(next).toBeFocused()
  await page.keyboard.press('Enter')
  await expectPlaying(page, 3)
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Shift+Tab')
  await expect(page.getByRole('button', { name: 'Previous episode' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expectPlaying(page, 2)
  await expect(page.getByRole('button', { name: 'Previous episode' })).toBeFocused()
})

test('a key press shows and starts the next video before any component renders @desktop', async ({
  page,
}) => {
  await openTower(page)
  await expect.poll(() => page.evaluate(() => document.querySelectorAll('video').length)).toBeGreaterThan(1)
  const videos = await page.evaluate(() => {
    dispatchEvent(new KeyboardEvent('keydown', { key: 'n' }))
    // Still within the key event's task: no component has rendered.
    return [...document.querySelectorAll('video')].map((video) => ({
      inView: Math.abs(video.getBoundingClientRect().top) < innerHeight / 2,
      paused: video.paused,
    }))
  })
  expect(videos).toEqual([
    { inView: false, paused: true },
    { inView: true, paused: false },
  ])
  await expectPlaying(page, 2)
})

test('a key press is not lost if the episode of the previous key press has not rendered yet @desktop', async ({
  page,
}) => {
  await openTower(page)
  await page.keyboard.press('n')
  await page.keyboard.press('n')
  await expectPlaying(page, 3)
  await page.evaluate(() => {
    const replace = history.replaceState.bind(history)
    const hold = (scroll: Event) => scroll.stopImmediatePropagation()
    history.replaceState = (state, title, url) => {
      replace(state, title, url)
      if (!String(url).endsWith('episode=2')) return
      // The URL has changed, but the episode has not rendered yet. Scroll events are held back until it is rendered.
      addEventListener('scroll', hold, { capture: true })
      dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp' }))
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          removeEventListener('scroll', hold, { capture: true })
          document.querySelector('[role=region]')?.dispatchEvent(new Event('scroll'))
        }),
      )
    }
  })
  await page.keyboard.press('ArrowUp')
  await expectPlaying(page, 1)
})

test.describe('when an episode plays to its end', () => {
  test.use({ playbackSpeed: 'real' })

  test('if an episode ends behind an open sheet, the next one starts when the sheet is closed @desktop', async ({
    page,
  }) => {
    await openTower(page)
    // The episode must not end before the sheet is open.
    await repeatEpisode(page)
    await activateWithKeyboard(page, page.getByRole('button', { name: 'Settings', exact: true }))
    await expect(page.getByRole('dialog')).toBeVisible()
    await repeatEpisode(page, false)
    await expect
      .poll(() => page.evaluate(() => [...document.querySelectorAll('video')].some((video) => video.ended)))
      .toBe(true)
    await expect(page.getByRole('dialog')).toBeVisible()
    await page.keyboard.press('Escape')
    await expectPlaying(page, 2)
    await expect(page.getByRole('button', { name: 'Settings', exact: true })).toBeFocused()
  })
})

test('menus and the language chooser work with the keyboard @desktop', async ({ page }) => {
  await page.goto('/')
  for (const [name, list] of [
    ['Account', 'Account'],
    ['Browse', 'Browse'],
  ] as const) {
    const opener = page.getByRole('button', { name })
    const menu = page.getByRole('navigation', { name: list })
    await activateWithKeyboard(page, opener)
    await expect(menu.getByRole('link').first()).toBeVisible()
    await page.keyboard.press('Tab')
    await expect(menu.getByRole('link').first()).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(menu).toBeHidden()
    await expect(opener).toBeFocused()
  }
  await page.keyboard.press('Enter')
  await activateWithKeyboard(
    page,
    page.getByRole('navigation', { name: 'Browse' }).getByRole('link', { name: 'Plans' }),
  )
  await expect(page).toHaveURL(/\/shopping$/)
  await expect(page.getByRole('navigation', { name: 'Browse' })).toBeHidden()

  const languages = page.locator('header select')
  await tabTo(page, languages)
  await page.keyboard.press('d')
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  await expect(page.getByRole('heading', { name: 'Alles ansehen' })).toBeVisible()
  await expect(languages).toBeFocused()
})

test('a viewer registers, signs out and in, and removes a favorite with the keyboard only @desktop', async ({
  page,
}) => {
  const email = `kay-${Date.now()}@example.com`
  const password = 'a quiet lighthouse'
  await page.goto('/register')
  await typeInto(page, page.getByLabel('E-mail'), email)
  await typeInto(page, page.getByLabel('Password', { exact: true }), password)
  await typeInto(page, page.getByLabel('Repeat your password'), password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/my$/)

  await activateWithKeyboard(page, page.getByRole('button', { name: 'Account' }))
  await activateWithKeyboard(page, page.getByRole('button', { name: 'Sign out' }))
  await expect(page.getByText('You’re not signed in on this device.')).toBeVisible()
  await page.goto('/login')
  await typeInto(page, page.getByLabel('E-mail'), email)
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/my$/)

  await openTower(page)
  // The button does not wait for the response, and leaving the page would cancel the request.
  const saved = page.waitForResponse(/\/api\/user\/favorite$/)
  await activateWithKeyboard(page, page.getByRole('button', { name: 'Add to favorites' }))
  await expect(page.getByRole('button', { name: 'Remove from favorites' })).toBeVisible()
  await saved
  await page.goto('/favorites')
  await activateWithKeyboard(page, page.getByRole('button', { name: 'Remove “The Test Tower”' }))
  await expect(page.getByText('Tap the heart on a drama')).toBeVisible()
})
