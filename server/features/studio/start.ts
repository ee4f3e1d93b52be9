import { showStart, type FirstStep } from '#contract/studio/start.ts'
import { listAllOrders, listPlansForAdmin } from '#server/features/billing/billing.ts'
import { loadDraft, selectAdminVideos } from '#server/features/catalog/catalog.ts'
import type { VideoState } from '#contract/studio/videos.ts'
import type { Db } from '#server/tables.ts'
import { reads, type Actor, type Command } from './command.ts'
import { lookOf } from './orders.ts'
import type { StudioContext } from './studio-context.ts'

/** Commands for the steps that a site lacks until its first sale and its opening. */
export const startCommands: Command[] = [
  reads(showStart, async (context, _input, actor) => {
    const published = await findLatest(context.db, 'published')
    const content = await loadContentSteps(context.db, published)
    const rest = actor.role === 'owner' ? await loadOwnersSteps(context, actor, published) : []
    return { data: { list: [...content, ...rest] } }
  }),
]

async function loadContentSteps(db: Db, published: string | null): Promise<FirstStep[]> {
  const [latest, { draft }] = await Promise.all([findLatest(db, undefined), loadDraft(db)])
  return [
    { step: 'video', done: latest !== null, video_id: latest },
    { step: 'published', done: published !== null, video_id: published ?? latest },
    { step: 'homepage', done: draft.sections.length > 0, video_id: null },
  ]
}

async function findLatest(db: Db, state: VideoState | undefined): Promise<string | null> {
  const [video] = await selectAdminVideos(db, { state, keyword: undefined, after: undefined, limit: 1 })
  return video?.id ?? null
}

async function loadOwnersSteps(
  { db, gateways, environment: { mail, operator } }: StudioContext,
  actor: Actor,
  published: string | null,
): Promise<FirstStep[]> {
  const [plans, sales] = await Promise.all([
    listPlansForAdmin(db),
    listAllOrders(db, { status: 'paid' }, { cursor: undefined, size: 1 }, lookOf(actor)),
  ])
  const steps: [step: FirstStep['step'], done: boolean][] = [
    ['plan', plans.some(({ retired_at }) => retired_at === null)],
    ['sale', sales.list.length > 0],
    ['gateway', gateways.some(({ id }) => id !== 'sandbox')],
    ['mail', mail.smtpUrl !== undefined],
    ['imprint', operator.name !== undefined && operator.address !== undefined],
  ]
  return steps.map(([step, done]) => ({ step, done, video_id: step === 'sale' ? published : null }))
}
