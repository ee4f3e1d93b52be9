import { showSetupGuide, type SetupStep } from '#contract/studio/setup-guide.ts'
import { listAllOrders, listPlansForAdmin } from '#server/features/billing/billing.ts'
import { loadDraft, selectAdminVideos } from '#server/features/catalog/catalog.ts'
import type { VideoState } from '#contract/studio/videos.ts'
import type { Db } from '#server/tables.ts'
import { readCommand, type Actor, type Command } from './define-command.ts'
import { orderViewOf } from './orders.ts'
import type { StudioContext } from './studio-context.ts'

/** Commands that list the setup steps of a new site, and whether each step is done. */
export const setupGuideCommands: Command[] = [
  readCommand(showSetupGuide, async (context, _input, actor) => {
    const published = await findLatestVideoId(context.db, 'published')
    const content = await loadContentSteps(context.db, published)
    const rest = actor.role === 'owner' ? await loadOwnerSteps(context, actor, published) : []
    return { data: { list: [...content, ...rest] } }
  }),
]

async function loadContentSteps(db: Db, publishedId: string | null): Promise<SetupStep[]> {
  const [latestId, { draft }] = await Promise.all([findLatestVideoId(db, undefined), loadDraft(db)])
  return [
    { step: 'video', done: latestId !== null, video_id: latestId },
    { step: 'published', done: publishedId !== null, video_id: publishedId ?? latestId },
    { step: 'homepage', done: draft.sections.length > 0, video_id: null },
  ]
}

async function findLatestVideoId(db: Db, state: VideoState | undefined): Promise<string | null> {
  const [video] = await selectAdminVideos(db, { state, keyword: undefined, after: undefined, limit: 1 })
  return video?.id ?? null
}

async function loadOwnerSteps(
  { db, gateways, environment: { mail, operator } }: StudioContext,
  actor: Actor,
  publishedId: string | null,
): Promise<SetupStep[]> {
  const [plans, sales] = await Promise.all([
    listPlansForAdmin(db),
    listAllOrders(db, { status: 'paid' }, { cursor: undefined, size: 1 }, orderViewOf(actor)),
  ])
  const steps: [step: SetupStep['step'], done: boolean][] = [
    ['plan', plans.some(({ archived_at }) => archived_at === null)],
    ['sale', sales.list.length > 0],
    ['gateway', gateways.some(({ id }) => id !== 'sandbox')],
    ['mail', mail.smtpUrl !== undefined],
    ['imprint', operator.name !== undefined && operator.address !== undefined],
  ]
  return steps.map(([step, done]) => ({ step, done, video_id: step === 'sale' ? publishedId : null }))
}
