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
export const DeskLabel = Type.Object({ id: Id, slug: Type.String(), names: TextsInSome })
export type DeskLabel = Static<typeof DeskLabel>

export const DeskTag = Type.Object({
  ...DeskLabel.properties,
  /** How many published videos have it. */
  video_count: Type.Integer(),
  /** What is still going on at its videos, some at a time; null where nothing is. */
  under_way: nullable(oneOf(tagTasks)),
})
export type DeskTag = Static<typeof DeskTag>

const byId = Type.Object({ id: Id })
const renamed = Type.Object({ id: Id, names: TextsInSome })
const merged = Type.Object({ id: Id, into: Id })
/** Whether all of it is done, or many videos still follow some at a time. */
const isDone = { done: Type.Boolean() }
const MergedInto = Type.Object({ ...DeskLabel.properties, ...isDone })
const Deleted = Type.Object({ deleted: Type.Boolean() })
const categories = Type.Object({ list: Type.Array(DeskLabel) })

export const listDeskTags = command({
  method: 'GET',
  path: '/api/studio/tags',
  command: 'tag list',
  roles: readers,
  summary:
    'All tags, those of most published videos first; with a keyword, those with a name that has such words',
  refuses: [],
  query: Type.Object({ ...paging, keyword: Type.Optional(Type.String({ maxLength: 200 })) }),
  data: listOf(DeskTag),
})

export const changeTag = command({
  method: 'POST',
  path: '/api/studio/tag',
  command: 'tag change',
  args: ['id'],
  roles: editors,
  summary: 'Renames a tag in the languages given; an empty name takes a language away',
  refuses: ['notFound', 'labelInvalid', 'labelTaken'],
  body: renamed,
  info: DeskLabel,
})

export const mergeTag = command({
  method: 'POST',
  path: '/api/studio/tag/merge',
  command: 'tag merge',
  args: ['id', 'into'],
  roles: editors,
  summary:
    'Gives all videos and homepage sections of a tag another one in its place, and deletes it; many videos follow by and by (`done` false)',
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
  summary: 'Takes a tag off all videos and deletes it; one that many have goes by and by (`deleted` false)',
  refuses: ['notFound', 'feedsHomepage', 'movedOn'],
  body: byId,
  info: Deleted,
})

export const listDeskCategories = command({
  method: 'GET',
  path: '/api/studio/categories',
  command: 'category list',
  roles: readers,
  summary: 'All categories, in the order of the menu',
  refuses: [],
  data: categories,
})

export const changeCategory = command({
  method: 'POST',
  path: '/api/studio/category',
  command: 'category change',
  args: ['id'],
  roles: editors,
  summary: 'Renames a category in the languages given; an empty name takes a language away',
  refuses: ['notFound', 'labelInvalid', 'labelTaken'],
  body: renamed,
  info: DeskLabel,
})

export const orderCategories = command({
  method: 'POST',
  path: '/api/studio/categories/order',
  command: 'category order',
  roles: editors,
  summary: 'Puts all categories in the order given, which is that of the menu',
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
  summary: 'Gives all videos and homepage sections of a category another one, and deletes it',
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
  summary: 'Takes a category off all videos and deletes it',
  refuses: ['notFound', 'feedsHomepage'],
  body: byId,
  info: Deleted,
})
