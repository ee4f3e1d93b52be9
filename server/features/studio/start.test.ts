import { afterAll, beforeAll, expect, it } from 'vitest'
import { saveHomepage, showHomepage } from '#contract/studio/homepage.ts'
import { listPlans, retirePlan } from '#contract/studio/plans.ts'
import { showStart } from '#contract/studio/start.ts'
import { addVideo } from '#contract/studio/videos.ts'
import { buyEpisode, moneySite, type MoneySite } from '#server/testing/site/money-site.ts'
import { letIn, type TestOperator } from '#server/testing/builders/operator.ts'

let site: MoneySite
let owner: TestOperator

beforeAll(async () => {
  site = await moneySite()
  owner = await letIn(site, 'owner')
})
afterAll(() => site.close())

const told = async ({ desk }: TestOperator) => (await desk.ask(showStart)).list
const done = async () => (await told(owner)).filter((step) => step.done).map(({ step }) => step)

it('a site that was just made lacks a video, a sale, and what it needs before it is opened', async () => {
  const { db } = site.context
  await db.updateTable('videos').set({ state: 'archived' }).execute()
  expect(await done()).toEqual(expect.arrayContaining(['homepage', 'plan']))
  for (const step of ['published', 'sale', 'gateway', 'mail', 'imprint'])
    expect(await done()).not.toContain(step)
  await db.updateTable('videos').set({ state: 'published' }).execute()
})

it('a step is done as soon as it is, and leads to the video that it is about', async () => {
  const { id } = await owner.desk.ask(addVideo, { body: { title: 'Begun' } })
  const steps = await told(owner)
  expect(steps.find(({ step }) => step === 'video')).toEqual({ step: 'video', done: true, video_id: id })
  const published = steps.find(({ step }) => step === 'published')
  expect(published).toMatchObject({ done: true, video_id: expect.not.stringMatching(id) })
  await buyEpisode(site)
  expect(await done()).toContain('sale')
})

it('a homepage without sections and a shop without plans are steps back', async () => {
  const { draft, version } = await owner.desk.ask(showHomepage)
  await owner.desk.ask(saveHomepage, { body: { draft: { ...draft, sections: [] }, version } })
  expect(await done()).not.toContain('homepage')
  for (const { id } of (await owner.desk.ask(listPlans)).list)
    await owner.desk.ask(retirePlan, { body: { id } })
  expect(await done()).not.toContain('plan')
})

it('the editor is told of content and of nothing else', async () => {
  const steps = (await told(await letIn(site, 'editor'))).map(({ step }) => step)
  expect(steps).toEqual(['video', 'published', 'homepage'])
})
