import pg from 'pg'
import { expect, test } from '#e2e/support/fixtures.ts'
import { currentSite } from '#e2e/site/own-site.ts'

const tower = 'The Test Tower'
const silent = 'Wide and Silent'

/** Makes the tower the older of the two dramas, and the more popular one, without the ten minutes until plays are ranked. */
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

test('a suggestion of a drama has its poster @phone', async ({ page }) => {
  await page.goto('/search')
  await page.getByRole('combobox', { name: 'Search' }).fill('tower')
  const option = page.getByRole('listbox').getByRole('option', { name: tower })
  const poster = option.locator('img')
  await expect(poster).toBeVisible()
  await expect.poll(() => poster.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
})

test('a search begins at a category too, and its list is put in the order that is chosen @phone', async ({
  page,
}) => {
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

test('results of a search have an order of their own @phone', async ({ page }) => {
  await page.goto('/searchDetail/test')
  const sort = page.getByRole('combobox', { name: 'Sort by' })
  await expect(sort.getByRole('option')).toHaveText(['Best match', 'Most watched', 'Newest'])
})
