import { afterAll, beforeAll, expect, it } from 'vitest'
import { parseVideoDescription } from '#contract/studio/video-descriptions.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import { addVideo, editVideo } from '#contract/studio/videos.ts'
import { signInOperator } from '#server/testing/builders/operator.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

const text = `title: { en: Salt, fy: Sel }
synopsis: { en: Two sisters. }
category: family-drama
tags: [sea, sisters]
free_episodes: 2
price: { currency: EUR, episode_cents: 89, video_cents: 899 }
`

let site: TestSite
let studio: Visitor

beforeAll(async () => {
  site = await startTestSite()
  studio = (await signInOperator(site, 'editor')).studio
})
afterAll(() => site.close())

const read = (text: string) => studio.callOk(parseVideoDescription, { body: { text } })

it('a video.yaml is parsed into the fields of an edit, and the edit is in the audit log', async () => {
  const { description, error } = await read(`${text}badge: hot\nepisodes: [{ title: { en: Tide } }, {}]\n`)
  expect(error).toBeNull()
  expect(description).toEqual({
    titles: { en: 'Salt', fy: 'Sel' },
    synopses: { en: 'Two sisters.' },
    category: 'family-drama',
    tags: ['sea', 'sisters'],
    badge: 'hot',
    featured: false,
    free_episodes: 2,
    episode_cents: 89,
    video_cents: 899,
    currency: 'EUR',
    episode_titles: [{ en: 'Tide' }, {}],
  })
  if (!description) throw new Error('the text was not parsed')
  const { episode_titles: _titles, ...edits } = description
  const { id } = await studio.callOk(addVideo, { body: { title: 'Draft' } })
  const video = await studio.callOk(editVideo, { body: { id, ...edits } })
  expect(video).toMatchObject({
    titles: { en: 'Salt', fy: 'Sel' },
    category: { slug: 'family-drama' },
    price: { episode_cents: 89, video_cents: 899, currency: 'EUR' },
  })
  const owner = await signInOperator(site, 'owner')
  const [auditEvent] = (await owner.studio.callOk(listAuditEvents, { query: { subject: id } })).list
  expect(auditEvent).toMatchObject({
    event: 'studio video edit',
    details: { before: { titles: { en: 'Draft' } }, after: { titles: { en: 'Salt', fy: 'Sel' } } },
  })
})

it.each([
  ['title: [', 'line 1 is not YAML'],
  [text.replace('899', '8.99'), 'price.video_cents must be a whole number'],
  [text.replace('[sea, sisters]', `[${Array.from({ length: 21 }, (_, tag) => `t${tag}`).join(', ')}]`), '20'],
  [`a: &a [x]\nb: [${'*a, '.repeat(30)}*a]\n`, 'cannot be read as YAML'],
  ['', 'the file must hold keys'],
])('a mistake in a video.yaml is reported with a readable message: %j', async (text, words) => {
  expect(await read(text)).toMatchObject({ description: null, error: expect.stringContaining(words) })
})
