import { Type, type Static } from 'typebox'
import { Block, pageNames } from '#contract/pages.ts'
import { LanguageCode, Time, FormText, stringEnum } from '#contract/schemas.ts'
import { command } from './command.ts'
import { roles, type Role } from './roles.ts'

/** Maximum length of a page's text, in characters. */
export const maxPageTextLength = 40_000

/** The roles that may edit the pages. */
const editorRoles: readonly Role[] = ['owner', 'editor']

/** The page and its language. */
const pageKey = { name: stringEnum(pageNames), language: LanguageCode }
/** The version of the loaded text. Saving requires the version, to prevent lost updates. */
const version = Type.String({ maxLength: 100 })

const PageText = Type.Object({
  ...pageKey,
  markdown: Type.String(),
  /** True if the page was edited in the studio; false for the built-in text. */
  custom: Type.Boolean(),
  updated_at: Time,
  version: Type.String(),
})
export type PageText = Static<typeof PageText>

export const listPageTexts = command({
  method: 'GET',
  path: '/api/studio/texts',
  command: 'text list',
  roles,
  summary:
    'Lists the six pages in every language, with the time of the last change and whether each was edited',
  refuses: [],
  data: Type.Object({
    list: Type.Array(Type.Object({ ...pageKey, custom: Type.Boolean(), updated_at: Time })),
  }),
})

export const showPageText = command({
  method: 'GET',
  path: '/api/studio/text',
  command: 'text show',
  args: ['name', 'language'],
  roles,
  summary: 'Shows a page in one language, as Markdown',
  refuses: [],
  query: Type.Object(pageKey),
  info: PageText,
})

export const previewPageText = command({
  method: 'POST',
  path: '/api/studio/text/preview',
  command: 'text preview',
  args: ['markdown'],
  roles: editorRoles,
  summary: 'Returns a preview of a page',
  refuses: ['siteTextInvalid'],
  body: Type.Object({ markdown: FormText }),
  info: Type.Object({
    title: Type.String(),
    blocks: Type.Array(Block),
    /** The placeholders (names in braces) that have no value. Lines with such a placeholder are omitted. */
    unset: Type.Array(Type.String()),
  }),
})

export const savePageText = command({
  method: 'POST',
  path: '/api/studio/text',
  command: 'text save',
  args: ['name', 'language'],
  roles: editorRoles,
  summary: 'Publishes a page in one language; viewers see it within two seconds',
  refuses: ['editConflict', 'siteTextInvalid'],
  body: Type.Object({ ...pageKey, markdown: FormText, version }),
  info: PageText,
})

export const resetPageText = command({
  method: 'POST',
  path: '/api/studio/text/restore',
  command: 'text restore',
  args: ['name', 'language'],
  roles: editorRoles,
  summary: 'Resets a page to the built-in text',
  refuses: ['editConflict'],
  body: Type.Object({ ...pageKey, version }),
  info: PageText,
})
