import { Refusal } from '#contract/errors.ts'
import type { Variant, ExperimentKind } from '#contract/studio/experiments.ts'
import { newId } from '#server/platform/ids.ts'
import { readPage, type Paging } from '#server/platform/read-page.ts'
import type { Db, Tx } from '#server/tables.ts'
import {
  insertExperiment,
  isTargetInUse,
  lockExperiment,
  selectExperiment,
  selectExperiments,
  updateExperiment,
  type ExperimentRow,
} from './queries.ts'

export type { ExperimentRow } from './queries.ts'

/** The fields that a variant may set, by the kind of experiment. */
const variantFields: Record<ExperimentKind, readonly Exclude<keyof Variant, 'share'>[]> = {
  free_episodes: ['free_episodes'],
  episode_price: ['price_cents'],
  video_price: ['price_cents'],
  pay_theme: ['layout', 'accent'],
}

/** Drafts an experiment. @throws Refusal variantsInvalid */
export function draftExperiment(
  tx: Tx,
  draft: { kind: ExperimentKind; name: string; target: string | null; variants: readonly Variant[] },
  now: Date,
): Promise<ExperimentRow> {
  const { kind, name, target, variants } = draft
  checkVariants(kind, variants)
  return insertExperiment(tx, {
    id: newId('exp'),
    kind,
    name,
    target,
    variants: JSON.stringify(variants),
    created_at: now,
  })
}

/** Edits a draft. @throws Refusal notFound; editConflict if it was started; variantsInvalid */
export async function changeDraft(
  tx: Tx,
  id: string,
  { name, variants }: { name?: string; variants?: readonly Variant[] },
): Promise<{ row: ExperimentRow; before: ExperimentRow }> {
  const before = await lockInState(tx, id, 'draft')
  if (variants) checkVariants(before.kind, variants)
  const row = await updateExperiment(tx, id, {
    name: name ?? before.name,
    variants: JSON.stringify(variants ?? before.variants),
  })
  return { row, before }
}

/**
 * Starts a draft.
 * @param currency the video's currency; null for a site-wide experiment
 * @throws Refusal notFound; editConflict if it is not a draft; experimentRunning if another experiment of the same kind
 * is running on the same target
 */
export async function startDraft(
  tx: Tx,
  id: string,
  currency: string | null,
  now: Date,
): Promise<ExperimentRow> {
  const draft = await lockInState(tx, id, 'draft')
  if (await isTargetInUse(tx, draft)) throw new Refusal('experimentRunning')
  return updateExperiment(tx, id, { state: 'running', currency, started_at: now })
}

/** Stops a running experiment permanently. @throws Refusal notFound, editConflict */
export async function endExperiment(tx: Tx, id: string, now: Date): Promise<ExperimentRow> {
  await lockInState(tx, id, 'running')
  return updateExperiment(tx, id, { state: 'stopped', stopped_at: now })
}

/** Returns an experiment. @throws Refusal notFound */
export async function findExperiment(db: Db, id: string): Promise<ExperimentRow> {
  const row = await selectExperiment(db, id)
  if (!row) throw new Refusal('notFound')
  return row
}

/** Lists the experiments, newest first. @throws Fault invalidCursor */
export function listAllExperiments(db: Db, paging: Paging) {
  return readPage(
    'experiments',
    paging,
    (after, limit) => selectExperiments(db, after, limit),
    ({ created_at, id }) => [created_at, id],
  )
}

async function lockInState(tx: Tx, id: string, state: ExperimentRow['state']): Promise<ExperimentRow> {
  const row = await lockExperiment(tx, id)
  if (!row) throw new Refusal('notFound')
  if (row.state !== state) throw new Refusal('editConflict')
  return row
}

/**
 * Checks the variants. The first is the control and sets nothing. Each other variant sets at least one field, and only
 * fields of the experiment's kind. No two variants are equal, and the shares add up to 100.
 * @throws Refusal variantsInvalid
 */
function checkVariants(kind: ExperimentKind, variants: readonly Variant[]): void {
  const [first, ...others] = variants.map(({ share: _share, ...fields }) => fields)
  const hasOnlyFieldsOfKind = (fields: object) => {
    const names = Object.keys(fields)
    return names.length > 0 && names.every((name) => variantFields[kind].some((known) => known === name))
  }
  const texts = new Set(
    others.map((fields) => variantFields[kind].map((name) => fields[name] ?? '').join('|')),
  )
  const isValid =
    first !== undefined &&
    Object.keys(first).length === 0 &&
    others.every(hasOnlyFieldsOfKind) &&
    texts.size === others.length &&
    variants.reduce((sum, { share }) => sum + share, 0) === 100
  if (!isValid) throw new Refusal('variantsInvalid', { field: 'variants' })
}
