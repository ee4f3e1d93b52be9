import * as contract from '#contract/studio/labels.ts'
import { listLimits } from '#contract/catalog.ts'
import {
  reorderCategories,
  deleteLabel,
  mergeLabels,
  renameLabel,
  selectAdminCategories,
  selectAdminTags,
  type LabelKind,
} from '#server/features/catalog/catalog.ts'
import { transactionalCommand, readCommand, type Command } from '#server/features/studio/define-command.ts'
import { cutPage, decodeCursor, encodeCursor, choosePageSize } from '#server/platform/cursor.ts'
import type { Tx } from '#server/tables.ts'

/** Commands for tags and categories: list, rename, merge, delete and reorder. */
export const labelCommands: Command[] = [
  readCommand(contract.listStudioTags, async ({ db }, { keyword, cursor, limit }) => {
    const words = keyword?.trim() || undefined
    const name = `studio tags ${words ?? ''}`
    const size = choosePageSize(limit, listLimits)
    const position = decodeCursor(name, cursor, ['integer', 'text'])
    const after = position && { video_count: position[0], id: position[1] }
    const { page, last } = cutPage(
      await selectAdminTags(db, { keyword: words, after, limit: size + 1 }),
      size,
    )
    const next_cursor = last ? encodeCursor(name, [last.video_count, last.id]) : null
    return { data: { list: page, next_cursor } }
  }),

  readCommand(contract.listStudioCategories, async ({ db }) => ({
    data: { list: await selectAdminCategories(db) },
  })),

  transactionalCommand(contract.changeTag, (_context, tx, { id, names }) => rename(tx, 'tag', id, names)),
  transactionalCommand(contract.changeCategory, (_context, tx, { id, names }) =>
    rename(tx, 'category', id, names),
  ),

  transactionalCommand(contract.mergeTag, (_context, tx, { id, into }) => merge(tx, 'tag', id, into)),
  transactionalCommand(contract.mergeCategory, (_context, tx, { id, into }) =>
    merge(tx, 'category', id, into),
  ),

  transactionalCommand(contract.deleteTag, (_context, tx, { id }) => remove(tx, 'tag', id)),
  transactionalCommand(contract.deleteCategory, (_context, tx, { id }) => remove(tx, 'category', id)),

  transactionalCommand(contract.reorderCategories, async (_context, tx, { ids }) => {
    const { before, after } = await reorderCategories(tx, ids)
    const slugs = (list: typeof after) => list.map(({ slug }) => slug)
    return {
      answer: { data: { list: after } },
      change: { subject: 'categories', before: slugs(before), after: slugs(after) },
    }
  }),
]

async function rename(tx: Tx, kind: LabelKind, id: string, names: contract.StudioLabel['names']) {
  const { before, after } = await renameLabel(tx, kind, id, names)
  return {
    answer: { info: after },
    change: { subject: id, before: { names: before.names }, after: { names: after.names } },
  }
}

async function merge(tx: Tx, kind: LabelKind, id: string, intoId: string) {
  const { from, into, videos, sections, isDone } = await mergeLabels(tx, kind, id, intoId)
  const { slug, names } = from
  return {
    answer: { info: { ...into, done: isDone } },
    change: {
      subject: id,
      before: { slug, names, videos, sections },
      after: { into: intoId, slug: into.slug },
    },
  }
}

async function remove(tx: Tx, kind: LabelKind, id: string) {
  const { label, videos, isDone } = await deleteLabel(tx, kind, id)
  const { slug, names } = label
  return { answer: { info: { deleted: isDone } }, change: { subject: id, before: { slug, names, videos } } }
}
