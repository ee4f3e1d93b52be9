import { expect, it } from 'vitest'
import { checkSizeBudget } from './check-size-budget.ts'

const sizeOf = async (file: string) => (file === 'a.js' ? 60 : 100) * 1024

it('reports a route that exceeds its budget', async () => {
  const scripts = { '/': ['a.js', 'b.js'], '/videos/:id': ['a.js', 'b.js'] }
  const { rows, problems } = await checkSizeBudget(scripts, { '/': 120, '/videos/:id': 160 }, sizeOf)
  expect(rows).toEqual(['   160.0 of 120 KiB  /', '   160.0 of 160 KiB  /videos/:id'])
  expect(problems).toEqual(['/ loads 160.0 KiB of JavaScript, not 120'])
})

it('reports a route without a budget, and a budget without a route', async () => {
  const { problems } = await checkSizeBudget({ '/': ['a.js'] }, { '/old': 1 }, sizeOf)
  expect(problems).toEqual(['/old is not a route', '/ has no budget'])
})
