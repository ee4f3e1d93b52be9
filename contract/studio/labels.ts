import { Type, type Static } from 'typebox'
import { Id, listOf, nullable, oneOf, paging } from '#contract/shapes.ts'
import { command, type Role } from './command.ts'
import { TextsInSome } from './videos.ts'

/** How long the name of a tag or category may be. */
export const longestLabel = 64

/** What may still be going on at a tag that many videos have: they learn its new names, get another tag, or lose it. */
export const tagTasks = ['index', 'merge', 'delete'] as const
export type TagTask = (typeof tagTasks)[number]

const editors: readonly Role[] = ['owner', 'editor']
const readers: readonly Role[] = [...editors, 'analyst']

/** A tag or category. Its slug is what homepage sections and folders of video know it by; it never changes. */
export const StudioLabel = Type.Object({ id: Id, slug: Type.String(), names: TextsInSome })
export type StudioLabel = Static<typeof StudioLabel>

export const StudioTag = Type.Object({
  ...StudioLabel.properties,
  /** How many published videos have it. */
  video_count: Type.Integer(),
  /** What is still going on at its videos, some at a time; null if nothing is. */
  under_way: nullable(oneOf(tagTasks)),
})
export type StudioTag = Static<typeof StudioTag>

const byId = Type.Object({ id: Id })
const renamed = Type.Object({ id: Id, names: TextsInSome })
const merged = Type.Object({ id: Id, into: Id })
/** Whether all of it is done, or many videos still follow some at a time. */
const isDone = { done: Type.Boolean() }
const MergedInto = Type.Object({ ...StudioLabel.properties, ...isDone })
const Deleted = Type.Object({ deleted: Type.Boolean() })
const categories = Type.Object({ list: Type.Array(StudioLabel) })

export const listStudioTags = command({
  method: 'GET',
  path: '/api/studio/tags',
  command: 'tag list',
  roles: readers,
  summary:
    'Lists tags, those of most published videos first; with a keyword, those whose name has these words',
  refuses: [],
  query: Type.Object({ ...paging, keyword: Type.Optional(Type.String({ maxLength: 200 })) }),
  data: listOf(StudioTag),
})

export const changeTag = command({
  method: 'POST',
  path: '/api/studio/tag',
  command: 'tag change',
  args: ['id'],
  roles: editors,
  summary: 'Renames a tag in the given languages; an empty name removes a language',
  refuses: ['notFound', 'labelInvalid', 'labelTaken'],
  body: renamed,
  info: StudioLabel,
})

export const mergeTag = command({
  method: 'POST',
  path: '/api/studio/tag/merge',
  command: 'tag merge',
  args: ['id', 'into'],
  roles: editors,
  summary:
    'Merges a tag into another: moves its videos and homepage sections, then deletes it; in the background if there are many (`done` false)',
  refuses: ['notFound', 'movedOn'],
  body: merged,
  info: MergedInto,
})

export const deleteTag = command({
  method: 'DELETE',
  path: '/api/studio/tag',
  command: 'tag delete',
  args: ['id'],
  roles: editors,
  summary: 'Deletes a tag and removes it from all videos; in the background if it has many (`deleted` false)',
  refuses: ['notFound', 'feedsHomepage', 'movedOn'],
  body: byId,
  info: Deleted,
})

export const listStudioCategories = command({
  method: 'GET',
  path: '/api/studio/categories',
  command: 'category list',
  roles: readers,
  summary: 'Lists all categories in menu order',
  refuses: [],
  data: categories,
})

export const changeCategory = command({
  method: 'POST',
  path: '/api/studio/category',
  command: 'category change',
  args: ['id'],
  roles: editors,
  summary: 'Renames a category in the given languages; an empty name removes a language',
  refuses: ['notFound', 'labelInvalid', 'labelTaken'],
  body: renamed,
  info: StudioLabel,
})

export const orderCategories = command({
  method: 'POST',
  path: '/api/studio/categories/order',
  command: 'category order',
  roles: editors,
  summary: 'Sets the menu order of all categories',
  refuses: ['movedOn'],
  body: Type.Object({ ids: Type.Array(Id, { maxItems: 1000 }) }),
  data: categories,
})

export const mergeCategory = command({
  method: 'POST',
  path: '/api/studio/category/merge',
  command: 'category merge',
  args: ['id', 'into'],
  roles: editors,
  summary: 'Merges a category into another: moves its videos and homepage sections, then deletes it',
  refuses: ['notFound'],
  body: merged,
  info: MergedInto,
})

export const deleteCategory = command({
  method: 'DELETE',
  path: '/api/studio/category',
  command: 'category delete',
  args: ['id'],
  roles: editors,
  summary: 'Deletes a category and removes it from all videos',
  refuses: ['notFound', 'feedsHomepage'],
  body: byId,
  info: Deleted,
})
