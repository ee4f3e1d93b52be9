import { expect, test } from './fixtures.ts'
import { expectNoShift, expectReadable, watchShifts } from './page-quality.ts'

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
    await watchShifts(page)
    await page.goto(path)
    await expect(page.getByRole('heading', { name: heading })).toBeVisible()
    await expectReadable(page)
    await expectNoShift(page)
  })
}
