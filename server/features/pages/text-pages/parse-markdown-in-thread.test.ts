import { expect, test } from 'vitest'
import { renderPageText } from './page-texts.ts'

test('a text that takes seconds to parse does not block the process', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await renderPageText(`# Title\n\n${'_a'.repeat(19_000)}`, {}).catch(() => undefined)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(20)
})

test('a text is parsed once, however often it is requested', async () => {
  const texts = await Promise.all([1, 2].map(() => renderPageText('# Once\n\n{{site}}', { site: 'a' })))
  expect(texts[0]?.blocks).toBe(texts[1]?.blocks)
  expect(texts[0]).toMatchObject({ title: 'Once', blocks: [{ lines: [[{ text: 'a' }]] }] })
})
