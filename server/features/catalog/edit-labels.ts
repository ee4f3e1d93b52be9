import { Refusal } from '#contract/errors.ts'
import type { Texts } from '#contract/languages.ts'
import { longestLabel } from '#contract/studio/labels.ts'
import type { Tx } from '#server/tables.ts'
import { lockHomepage, orderCategories } from './compose-queries.ts'
import { selectCategories } from './desk-queries.ts'
import { edited, slugOf, type TextChanges } from './edit-video.ts'
import * as queries from './label-queries.ts'
import type { LabelKind, LabelRecord } from './label-queries.ts'
import { found } from './list-videos.ts'

/*
 * Videos are held before labels, as by whoever edits, publishes or ranks one, so that nobody waits in a circle; and the
 * homepage before both, as by whoever saves it.
 */

/**
 * Renames a tag or category in some languages. Its slug stays, and with it whatever knows it by that.
 * @throws Refusal notFound, labelInvalid naming the field
 */
export async function renameLabel(
  tx: Tx,
  kind: LabelKind,
  id: string,
  changes: TextChanges,
): Promise<{ before: LabelRecord; after: LabelRecord }> {
  // Videos are found by the names of their tags.
  if (kind === 'tag') await queries.lockVideosOf(tx, kind, id)
  const before = found((await queries.lockLabels(tx, kind, [id])).get(id))
  const names = editedNames(kind, before.names, changes)
  await queries.updateNames(tx, kind, id, names)
  return { before, after: { ...before, names } }
}

function editedNames(kind: LabelKind, before: Texts, changes: TextChanges): Texts {
  // Whoever types a video's tags parts them by commas.
  const isBad = (name: string) => name.trim().length > longestLabel || (kind === 'tag' && name.includes(','))
  for (const [language, name] of Object.entries(changes))
    if (isBad(name)) throw new Refusal('labelInvalid', { field: `names.${language}` })
  const names = edited(before, changes, longestLabel, 'names')
  if (!names.en || slugOf(names.en) === '') throw new Refusal('labelInvalid', { field: 'names.en' })
  return { ...names, en: names.en }
}

/**
 * Gives what has one label, videos and sections of the homepage, another in its place, and deletes the one.
 * @throws Refusal notFound, also for a label that would be merged into itself
 */
export async function mergeLabels(tx: Tx, kind: LabelKind, id: string, intoId: string) {
  await lockHomepage(tx)
  await queries.lockVideosOf(tx, kind, id)
  const labels = await queries.lockLabels(tx, kind, [id, intoId])
  const from = found(labels.get(id))
  const into = found(id === intoId ? undefined : labels.get(intoId))
  const videos = await queries.moveVideos(tx, kind, id, intoId)
  const sections = await queries.feedInstead(tx, kind, from.slug, into.slug)
  await queries.deleteRow(tx, kind, id)
  return { from, into, videos, sections }
}

/**
 * Takes a label off all videos and deletes it.
 * @returns how it was, and how many videos had it
 * @throws Refusal notFound; feedsHomepage where a section of the homepage would stand empty
 */
export async function deleteLabel(tx: Tx, kind: LabelKind, id: string) {
  await lockHomepage(tx)
  await queries.lockVideosOf(tx, kind, id)
  const label = found((await queries.lockLabels(tx, kind, [id])).get(id))
  if (await queries.feedsSection(tx, kind, label.slug)) throw new Refusal('feedsHomepage')
  const videos = await queries.takeOff(tx, kind, id)
  await queries.deleteRow(tx, kind, id)
  return { label, videos }
}

/**
 * Puts all categories in an order, which is that of the menu.
 * @returns the order before and after
 * @throws Refusal movedOn where others are there than those that were put in order
 */
export async function arrangeCategories(tx: Tx, ids: readonly string[]) {
  await lockHomepage(tx)
  const before = await selectCategories(tx)
  const known = new Set(before.map(({ id }) => id))
  if (ids.length !== known.size || new Set(ids).size !== known.size || !ids.every((id) => known.has(id)))
    throw new Refusal('movedOn')
  await orderCategories(tx, ids)
  return { before, after: await selectCategories(tx) }
}
