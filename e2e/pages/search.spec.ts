import pg from 'pg'
import { expect, test } from '#e2e/support/fixtures.ts'
import { currentSite } from '#e2e/site/site-server.ts'
import { readStable } from '#e2e/support/page-quality.ts'

const tower = 'The Test Tower'
const silent = 'Wide and Silent'

/** Makes `tower` the older and more popular of the two dramas, without waiting ten minutes for the ranking job. */
async function makeOrdersDiffer(): Promise<void> {
  const client = new pg.Client({ connectionString: currentSite().databaseUrl })
  await client.connect()
  try {
    await client.query(
      `UPDATE videos SET released_at = released_at - interval '1 day', popularity = 10 WHERE titles->>'en' = $1`,
      [tower],
    )
    await client.query(
      `UPDATE video_tags SET popularity = videos.popularity FROM videos WHERE videos.id = video_id`,
    )
  } finally {
    await client.end()
  }
}

test('a suggested drama shows its poster', async ({ page }) => {
  await page.goto('/search')
  await page.getByRole('combobox', { name: 'Search' }).fill('tower')
  const option = page.getByRole('listbox').getByRole('option', { name: tower })
  const poster = option.locator('img')
  await expect(poster).toBeVisible()
  await expect.poll(() => poster.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
})

test('the search field keeps its place when the results appear @sizes', async ({ page }) => {
  await page.goto('/search')
  const field = page.getByRole('combobox', { name: 'Search' })
  const before = await readStable(() => field.boundingBox())
  await field.fill('tower')
  await field.press('Enter')
  await expect(page.getByRole('heading', { name: /Results for/ })).toBeVisible()
  await expect.poll(() => field.boundingBox()).toMatchObject({ x: before?.x, y: before?.y })
})

test('a search can start at a category, whose list can be sorted', async ({ page }) => {
  await makeOrdersDiffer()
  await page.goto('/search')
  await page.getByRole('region', { name: 'Categories' }).getByRole('link').first().click()
  await expect(page).toHaveURL(/\/browse\//)
  const sort = page.getByRole('combobox', { name: 'Sort by' })
  await expect(sort).toHaveValue('newest')
  const cards = page.getByRole('main').getByRole('listitem')
  await expect(cards).toContainText([silent, tower])
  await sort.selectOption('Most watched')
  await expect(cards).toContainText([tower, silent])
  await expect(page).toHaveURL(/\?sort=popular$/)
  await page.reload()
  await expect(sort).toHaveValue('popular')
})

test('a section can be sorted, and its search field leads to the results', async ({ page }) => {
  await makeOrdersDiffer()
  const { info } = await (await page.request.get('/api/homepage')).json()
  const all = info.homepage.find(({ kind }: { kind: string }) => kind === 'grid')
  await page.goto(`/more/${all.id}`)
  const cards = page.getByRole('main').getByRole('listitem')
  await expect(cards).toContainText([silent, tower])
  await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Most watched')
  await expect(cards).toContainText([tower, silent])
  await page.getByRole('combobox', { name: 'Search' }).fill('wide')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/searchDetail\/wide$/)
  await expect(cards).toContainText([silent])
  const field = page.getByRole('combobox', { name: 'Search' })
  await expect(field).toHaveValue('wide')
  await field.fill('tower')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/searchDetail\/tower$/)
  await expect(cards).toContainText([tower])
})

test('search results have their own sort order', async ({ page }) => {
  await page.goto('/searchDetail/test')
  const sort = page.getByRole('combobox', { name: 'Sort by' })
  await expect(sort.getByRole('option')).toHaveText(['Best match', 'Most watched', 'Newest'])
})
