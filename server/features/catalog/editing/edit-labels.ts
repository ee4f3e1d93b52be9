import { Refusal } from '#contract/errors.ts'
import { languages, type LocalizedText } from '#contract/languages.ts'
import { maxLabelLength } from '#contract/studio/labels.ts'
import type { Tx } from '#server/tables.ts'
import {
  lockHomepage,
  updateCategoryPositions,
  selectCategories,
} from '#server/features/catalog/homepage/homepage-queries.ts'
import { applyTextChanges, slugify, type TextChanges } from './edit-video.ts'
import * as queries from './label-queries.ts'
import type { Label, LabelKind, LabelRecord } from './label-queries.ts'
import { requireFound } from '#server/features/catalog/listing/list-videos.ts'
import { queueLabelBatchJob, isBeingDeleted, lockLabelBatchJob } from './label-batch-queries.ts'

/*
 * Lock order: the homepage, then the pending job of a label, then videos, then labels. The same order applies when the
 * homepage is saved, when the label batch job runs, and when a video is edited, published or ranked. So none of them can
 * deadlock.
 */

/**
 * A label of more videos than this is changed in batches (label-batch-job.ts). When the names of a tag change, the
 * database triggers use the same limit.
 */
const maxVideosAtOnce = 200

/** Maximum number of videos that the audit log states for a queued change. More are not counted. */
const maxCountedVideos = 10_000

/**
 * Renames a tag or category in some languages. Its slug does not change, so all references remain valid.
 * @throws Refusal notFound, labelInvalid and labelTaken naming the field
 */
export async function renameLabel(
  tx: Tx,
  kind: LabelKind,
  id: string,
  changes: TextChanges,
): Promise<{ before: LabelRecord; after: LabelRecord }> {
  // Search finds videos by the names of their tags, so renaming a tag changes the search index of its videos.
  if (kind === 'tag') await lockLabelVideos(tx, { kind, id })
  const before = requireFound((await queries.lockLabels(tx, kind, [id])).get(id))
  const names = applyNameChanges(kind, before.names, changes)
  await assertNameAvailable(tx, kind, before, names)
  await queries.updateNames(tx, kind, id, names)
  return { before, after: { ...before, names } }
}

/** Locks the videos of a label, unless it has more than `maxVideosAtOnce`. @returns whether they are locked */
async function lockLabelVideos(tx: Tx, label: Label): Promise<boolean> {
  await lockLabelBatchJob(tx, label)
  if ((await queries.countVideos(tx, label, maxVideosAtOnce + 1)) > maxVideosAtOnce) return false
  await queries.lockVideosWithLabel(tx, label)
  return true
}

/**
 * Refuses a changed name that another label has, because operators could not tell the two apart. An unchanged name may
 * be a duplicate, because imports accept any name.
 */
async function assertNameAvailable(
  tx: Tx,
  kind: LabelKind,
  before: LabelRecord,
  names: LocalizedText,
): Promise<void> {
  await queries.lockNames(tx)
  for (const language of languages) {
    const name = names[language]
    if (name === undefined || name === before.names[language]) continue
    if (await queries.isNameTaken(tx, kind, { id: before.id, language, name }))
      throw new Refusal('labelTaken', { field: `names.${language}` })
  }
}

function applyNameChanges(kind: LabelKind, before: LocalizedText, changes: TextChanges): LocalizedText {
  // The name of a tag must have no comma, because operators enter a video's tags separated by commas.
  const isInvalid = (name: string) =>
    name.trim().length > maxLabelLength || (kind === 'tag' && name.includes(','))
  for (const [language, name] of Object.entries(changes))
    if (isInvalid(name)) throw new Refusal('labelInvalid', { field: `names.${language}` })
  const names = applyTextChanges(before, changes, maxLabelLength, 'names')
  if (!names.en || slugify(names.en) === '') throw new Refusal('labelInvalid', { field: 'names.en' })
  return { ...names, en: names.en }
}

/**
 * Merges a label into another: replaces it in all homepage sections and videos, then deletes it. For a label of
 * many videos, queues the change of the videos and the deletion.
 * @returns both labels, the number of videos and the sections that had the label, and `isDone`: false if the work was
 * queued
 * @throws Refusal notFound, also if both ids are the same; editConflict if one of the labels is already being deleted
 */
export async function mergeLabels(tx: Tx, kind: LabelKind, id: string, intoId: string) {
  await lockHomepage(tx)
  const isDone = await lockLabelVideos(tx, { kind, id })
  const labels = await queries.lockLabels(tx, kind, [id, intoId])
  const from = requireFound(labels.get(id))
  const into = requireFound(id === intoId ? undefined : labels.get(intoId))
  if (await isBeingDeleted(tx, kind, [id, intoId], id)) throw new Refusal('editConflict')
  const sections = await queries.replaceSectionLabel(tx, kind, from.slug, into.slug)
  if (!isDone) return { from, into, videos: await queueChange(tx, { kind, id }, intoId), sections, isDone }
  const videos = await queries.replaceLabel(tx, { kind, id }, intoId)
  if (kind === 'tag') await queries.mergeTrendingScore(tx, id, intoId)
  await queries.deleteLabelRow(tx, kind, id)
  return { from, into, videos, sections, isDone }
}

/**
 * Removes a label from all videos and deletes it. For a label of many videos, queues this work.
 * @returns the label, how many videos had it, and `isDone`: false if the work was queued
 * @throws Refusal notFound; usedOnHomepage if a homepage section shows the label; editConflict if the label is already
 * being deleted
 */
export async function deleteLabel(tx: Tx, kind: LabelKind, id: string) {
  await lockHomepage(tx)
  const isDone = await lockLabelVideos(tx, { kind, id })
  const label = requireFound((await queries.lockLabels(tx, kind, [id])).get(id))
  if (await isBeingDeleted(tx, kind, [id], id)) throw new Refusal('editConflict')
  if (await queries.isUsedInSection(tx, kind, label.slug)) throw new Refusal('usedOnHomepage')
  if (!isDone) return { label, videos: await queueChange(tx, { kind, id }, null), isDone }
  const videos = await queries.removeLabel(tx, { kind, id })
  await queries.deleteLabelRow(tx, kind, id)
  return { label, videos, isDone }
}

/** Queues the change of a label's videos. @returns how many videos have the label, at most `maxCountedVideos` */
async function queueChange(tx: Tx, label: Label, into: string | null): Promise<number> {
  await queueLabelBatchJob(tx, label, into)
  return queries.countVideos(tx, label, maxCountedVideos)
}

/**
 * Reorders all categories, which also reorders the menu.
 * @returns the order before and after
 * @throws Refusal editConflict if `ids` are not exactly the ids of all categories
 */
export async function reorderCategories(tx: Tx, ids: readonly string[]) {
  await lockHomepage(tx)
  const before = await selectCategories(tx)
  const known = new Set(before.map(({ id }) => id))
  if (ids.length !== known.size || new Set(ids).size !== known.size || !ids.every((id) => known.has(id)))
    throw new Refusal('editConflict')
  await updateCategoryPositions(tx, ids)
  return { before, after: await selectCategories(tx) }
}
