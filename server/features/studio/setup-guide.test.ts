import { afterAll, beforeAll, expect, it } from 'vitest'
import { saveHomepage, showHomepage } from '#contract/studio/homepage.ts'
import { listStudioPlans, archivePlan } from '#contract/studio/plans.ts'
import { showSetupGuide } from '#contract/studio/setup-guide.ts'
import { addVideo } from '#contract/studio/videos.ts'
import { buyEpisode, startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'

let site: BillingSite
let owner: TestOperator

beforeAll(async () => {
  site = await startBillingSite()
  owner = await signInOperator(site, 'owner')
})
afterAll(() => site.close())

const loadSteps = async ({ studio }: TestOperator) => (await studio.callOk(showSetupGuide)).list
const done = async () => (await loadSteps(owner)).filter((step) => step.done).map(({ step }) => step)

it('on a new site, the steps for a published video, a sale, a gateway, mails and the imprint are not done', async () => {
  const { db } = site.context
  await db.updateTable('videos').set({ state: 'archived' }).execute()
  expect(await done()).toEqual(expect.arrayContaining(['homepage', 'plan']))
  for (const step of ['published', 'sale', 'gateway', 'mail', 'imprint'])
    expect(await done()).not.toContain(step)
  await db.updateTable('videos').set({ state: 'published' }).execute()
})

it('a step is marked as done at once, and a step about a video has the video’s id', async () => {
  const { id } = await owner.studio.callOk(addVideo, { body: { title: 'Begun' } })
  const steps = await loadSteps(owner)
  expect(steps.find(({ step }) => step === 'video')).toEqual({ step: 'video', done: true, video_id: id })
  const published = steps.find(({ step }) => step === 'published')
  expect(published).toMatchObject({ done: true, video_id: expect.not.stringMatching(id) })
  await buyEpisode(site)
  expect(await done()).toContain('sale')
})

it('the steps for the homepage and the plans are open again after all sections and plans are removed', async () => {
  const { draft, version } = await owner.studio.callOk(showHomepage)
  await owner.studio.callOk(saveHomepage, { body: { draft: { ...draft, sections: [] }, version } })
  expect(await done()).not.toContain('homepage')
  for (const { id } of (await owner.studio.callOk(listStudioPlans)).list)
    await owner.studio.callOk(archivePlan, { body: { id } })
  expect(await done()).not.toContain('plan')
})

it('an editor sees only the steps about content', async () => {
  const steps = (await loadSteps(await signInOperator(site, 'editor'))).map(({ step }) => step)
  expect(steps).toEqual(['video', 'published', 'homepage'])
})
