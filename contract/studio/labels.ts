import { Type, type Static } from 'typebox'
import { Id, pageOf, nullable, stringEnum, pagingFields } from '#contract/schemas.ts'
import { command } from './command.ts'
import { type Role } from './roles.ts'
import { PartialLocalizedText } from './videos.ts'

/** Maximum length of the name of a tag or category. */
export const maxLabelLength = 64

/** Background tasks of a category with many videos: merging it into another category, deleting it. */
export const categoryTasks = ['merge', 'delete'] as const
export type CategoryTask = (typeof categoryTasks)[number]
/** Background tasks of a tag with many videos. `index` updates the search with its new names. */
export const tagTasks = ['index', ...categoryTasks] as const
export type TagTask = (typeof tagTasks)[number]

const editors: readonly Role[] = ['owner', 'editor']
const readers: readonly Role[] = [...editors, 'analyst']

/** A tag or category. Homepage sections and video folders refer to its slug, which never changes. */
export const StudioLabel = Type.Object({ id: Id, slug: Type.String(), names: PartialLocalizedText })
export type StudioLabel = Static<typeof StudioLabel>

export const StudioTag = Type.Object({
  ...StudioLabel.properties,
  /** The number of published videos with this tag. */
  video_count: Type.Integer(),
  /** The background task that is updating the tag's videos in batches; null if there is none. */
  running_task: nullable(stringEnum(tagTasks)),
})
export type StudioTag = Static<typeof StudioTag>

export const StudioCategory = Type.Object({
  ...StudioLabel.properties,
  /** The background task that is updating the category's videos in batches; null if there is none. */
  running_task: nullable(stringEnum(categoryTasks)),
})
export type StudioCategory = Static<typeof StudioCategory>

const byId = Type.Object({ id: Id })
const renameInput = Type.Object({ id: Id, names: PartialLocalizedText })
const mergeInput = Type.Object({ id: Id, into: Id })
/** False while a background task still updates videos in batches. */
const doneField = { done: Type.Boolean() }
const MergeResult = Type.Object({ ...StudioLabel.properties, ...doneField })
const DeleteResult = Type.Object({ deleted: Type.Boolean() })

export const listStudioTags = command({
  method: 'GET',
  path: '/api/studio/tags',
  command: 'tag list',
  roles: readers,
  summary:
    'Lists tags, those with the most published videos first; with a keyword, the tags whose names contain its words',
  refuses: [],
  query: Type.Object({ ...pagingFields, keyword: Type.Optional(Type.String({ maxLength: 200 })) }),
  data: pageOf(StudioTag),
})

export const changeTag = command({
  method: 'POST',
  path: '/api/studio/tag',
  command: 'tag change',
  args: ['id'],
  roles: editors,
  summary: 'Renames a tag in the given languages; an empty name removes a language',
  refuses: ['notFound', 'labelInvalid', 'labelTaken'],
  body: renameInput,
  info: StudioLabel,
})

export const mergeTag = command({
  method: 'POST',
  path: '/api/studio/tag/merge',
  command: 'tag merge',
  args: ['id', 'into'],
  roles: editors,
  summary:
    'Merges a tag into another: moves its videos and homepage sections, then deletes it. With many videos, the merge runs in the background and `done` is false',
  refuses: ['notFound', 'editConflict'],
  body: mergeInput,
  info: MergeResult,
})

export const deleteTag = command({
  method: 'DELETE',
  path: '/api/studio/tag',
  command: 'tag delete',
  args: ['id'],
  roles: editors,
  summary:
    'Deletes a tag and removes it from all videos. With many videos, the deletion runs in the background and `deleted` is false',
  refuses: ['notFound', 'usedOnHomepage', 'editConflict'],
  body: byId,
  info: DeleteResult,
})

export const listStudioCategories = command({
  method: 'GET',
  path: '/api/studio/categories',
  command: 'category list',
  roles: readers,
  summary: 'Lists all categories in menu order',
  refuses: [],
  data: Type.Object({ list: Type.Array(StudioCategory) }),
})

export const changeCategory = command({
  method: 'POST',
  path: '/api/studio/category',
  command: 'category change',
  args: ['id'],
  roles: editors,
  summary: 'Renames a category in the given languages; an empty name removes a language',
  refuses: ['notFound', 'labelInvalid', 'labelTaken'],
  body: renameInput,
  info: StudioLabel,
})

export const reorderCategories = command({
  method: 'POST',
  path: '/api/studio/categories/order',
  command: 'category reorder',
  roles: editors,
  summary: 'Sets the menu order of all categories',
  refuses: ['editConflict'],
  body: Type.Object({ ids: Type.Array(Id, { maxItems: 1000 }) }),
  data: Type.Object({ list: Type.Array(StudioLabel) }),
})

export const mergeCategory = command({
  method: 'POST',
  path: '/api/studio/category/merge',
  command: 'category merge',
  args: ['id', 'into'],
  roles: editors,
  summary:
    'Merges a category into another: moves its videos and homepage sections, then deletes it. With many videos, the merge runs in the background and `done` is false',
  refuses: ['notFound', 'editConflict'],
  body: mergeInput,
  info: MergeResult,
})

export const deleteCategory = command({
  method: 'DELETE',
  path: '/api/studio/category',
  command: 'category delete',
  args: ['id'],
  roles: editors,
  summary:
    'Deletes a category and removes it from all videos. With many videos, the deletion runs in the background and `deleted` is false',
  refuses: ['notFound', 'usedOnHomepage', 'editConflict'],
  body: byId,
  info: DeleteResult,
})
