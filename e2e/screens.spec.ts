import AxeBuilder from '@axe-core/playwright'
import { expect, test } from './fixtures.ts'

// axe brings its own script into the page.
test.use({ bypassCSP: true })

const screens = [
  { name: 'home', path: '/', heading: /New this week/ },
  { name: 'search results', path: '/searchDetail/tower', heading: /Results for/ },
  { name: 'search', path: '/search', heading: /Popular now/ },
  { name: 'sign in', path: '/login', heading: /Sign in/ },
  { name: 'register', path: '/register', heading: /Create your account/ },
  { name: 'a lost password', path: '/retrievePassword', heading: /Forgot your password/ },
  { name: 'favorites', path: '/favorites', heading: /Favorites/ },
  { name: 'history', path: '/historys', heading: /Watch history/ },
  { name: 'unlocked', path: '/unlocked', heading: /Unlocked/ },
  { name: 'plans', path: '/shopping', heading: /Watch everything/ },
  { name: 'the profile', path: '/individual', heading: /Profile and settings/ },
  { name: 'the member area', path: '/my', heading: /My area/ },
  { name: 'an unknown order', path: '/order/result?order_id=ord_none', heading: /Your order/ },
]

for (const { name, path, heading } of screens) {
  test(`${name}: readable by everybody, and nothing jumps`, async ({ page }) => {
    await page.addInitScript(() => {
      const shifts = { total: 0 }
      Object.assign(window, { shifts })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          shifts.total += (entry as PerformanceEntry & { value: number }).value
      }).observe({ type: 'layout-shift', buffered: true })
    })
    await page.goto(path)
    await expect(page.getByRole('heading', { name: heading })).toBeVisible()
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)])).toEqual([])
    expect(
      await page.evaluate(() => (window as unknown as { shifts: { total: number } }).shifts.total),
    ).toBeLessThan(0.01)
  })
}
