import { Refusal } from '#contract/errors.ts'
import { textInLanguage, type Language } from '#contract/languages.ts'
import {
  changeExperiment,
  createExperiment,
  listExperiments,
  showExperiment,
  startExperiment,
  stopExperiment,
  type Variant,
  type Experiment,
  type ExperimentKind,
  type ExperimentResult,
} from '#contract/studio/experiments.ts'
import { priceWarningsOf } from '#contract/studio/video-warnings.ts'
import { isPayable, loadExperimentSales } from '#server/features/billing/billing.ts'
import { loadAdminTitles, loadAdminVideo } from '#server/features/catalog/catalog.ts'
import {
  changeDraft,
  draftExperiment,
  endExperiment,
  findExperiment,
  listAllExperiments,
  startDraft,
  type ExperimentRow,
} from '#server/features/experiments/experiments.ts'
import { choosePageSize } from '#server/platform/cursor.ts'
import type { StudioContext } from '#server/features/studio/studio-context.ts'
import type { Db } from '#server/tables.ts'
import { transactionalCommand, readCommand, type Command } from '#server/features/studio/define-command.ts'
import { evaluateExperiment } from './evaluate-experiment.ts'

const limits = { default: 20, max: 50 }

/** Commands for experiments and their results. */
export const experimentCommands: Command[] = [
  transactionalCommand(
    createExperiment,
    async ({ clock, gateways }, tx, { kind, name, target = null, variants }, { language }) => {
      const draft = { kind, name, target, variants }
      const row = await draftExperiment(tx, draft, clock.now())
      const info = await presentOne(tx, row, language)
      checkTarget(info)
      checkPrices({ gateways }, info)
      return { answer: { info }, change: { subject: row.id, after: draft } }
    },
  ),

  transactionalCommand(changeExperiment, async (context, tx, { id, ...change }, { language }) => {
    const { row, before } = await changeDraft(tx, id, change)
    const info = await presentOne(tx, row, language)
    checkPrices(context, info)
    return {
      answer: { info },
      change: { subject: id, before: auditedFields(before), after: auditedFields(row) },
    }
  }),

  transactionalCommand(startExperiment, async ({ clock, gateways }, tx, { id }, { language }) => {
    const draft = await presentOne(tx, await findExperiment(tx, id), language)
    // The variants are checked again, because the video may have changed since the draft.
    checkTarget(draft)
    checkPrices({ gateways }, draft)
    const row = await startDraft(tx, id, draft.currency, clock.now())
    const info = await presentOne(tx, row, language)
    return { answer: { info }, change: { subject: id, before: { state: 'draft' }, after: row } }
  }),

  transactionalCommand(stopExperiment, async ({ clock }, tx, { id }, { language }) => {
    const row = await endExperiment(tx, id, clock.now())
    const info = await presentOne(tx, row, language)
    return { answer: { info }, change: { subject: id, before: { state: 'running' }, after: row } }
  }),

  readCommand(listExperiments, async ({ db }, { cursor, limit }, { language }) => {
    const { page, next_cursor } = await listAllExperiments(db, {
      cursor,
      size: choosePageSize(limit, limits),
    })
    return { data: { list: await present(db, page, language), next_cursor } }
  }),

  readCommand(showExperiment, async ({ db, clock }, { id }, { language }) => {
    const row = await findExperiment(db, id)
    const sales = await loadExperimentSales(db, row, clock.now())
    const experiment = await presentOne(db, row, language)
    const warnings = await warningsOf(db, experiment)
    return {
      info: {
        experiment,
        warnings,
        ...evaluateExperiment(sales ? row.variants : [], sales?.variants ?? []),
        counted_at: sales?.countedAt.toISOString() ?? null,
      },
    }
  }),
]

/**
 * Checks the target. Price experiments need a video; theme experiments apply to the whole site.
 * @throws Refusal notFound
 */
function checkTarget({ kind, target, target_name }: Experiment): void {
  const isValid = target === null ? !kind.endsWith('_price') : kind !== 'pay_theme' && target_name !== null
  if (!isValid) throw new Refusal('notFound', { field: 'target' })
}

/**
 * Checks the variants' prices.
 * @throws Refusal amountNotSupported if no gateway accepts a price
 */
function checkPrices(context: Pick<StudioContext, 'gateways'>, { variants, currency }: Experiment): void {
  for (const { price_cents } of variants)
    if (
      price_cents !== undefined &&
      !isPayable(context, { amount_cents: price_cents, currency: currency ?? '' })
    )
      throw new Refusal('amountNotSupported', { field: 'variants' })
}

/** Returns warnings about the prices of a draft's variants. Returns none after the experiment has started. */
async function warningsOf(
  db: Db,
  { state, kind, target, target_name, variants }: Experiment,
): Promise<ExperimentResult['warnings']> {
  if (state !== 'draft' || target === null || target_name === null) return []
  const video = await loadAdminVideo(db, target)
  return variants.flatMap((variant, index) =>
    priceWarningsOf({ ...video, ...variantChanges(kind, variant) }).map((warning) => ({
      variant: index,
      warning,
    })),
  )
}

/** Returns the fields of a video that a variant changes. The control changes none. */
function variantChanges(kind: ExperimentKind, { free_episodes, price_cents }: Variant) {
  if (free_episodes !== undefined) return { free_episodes }
  if (price_cents === undefined) return {}
  return kind === 'video_price' ? { video_cents: price_cents } : { episode_cents: price_cents }
}

const auditedFields = ({ name, variants }: ExperimentRow) => ({ name, variants })

async function presentOne(db: Db, row: ExperimentRow, language: Language): Promise<Experiment> {
  const [experiment] = await present(db, [row], language)
  if (!experiment) throw new Error(`experiment ${row.id} was deleted`)
  return experiment
}

async function present(db: Db, rows: readonly ExperimentRow[], language: Language): Promise<Experiment[]> {
  const titles = await loadAdminTitles(
    db,
    rows.flatMap(({ target }) => target ?? []),
  )
  return rows.map(({ created_at, started_at, stopped_at, target, ...row }) => {
    const video = target === null ? undefined : titles.get(target)
    return {
      ...row,
      target,
      target_name: video ? textInLanguage(video.titles, language) : null,
      currency: row.currency ?? video?.currency ?? null,
      created_at: created_at.toISOString(),
      started_at: started_at?.toISOString() ?? null,
      stopped_at: stopped_at?.toISOString() ?? null,
    }
  })
}
