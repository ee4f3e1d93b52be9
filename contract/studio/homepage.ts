import { Type, type Static } from 'typebox'
import { getHomepage, sectionKinds } from '#contract/catalog.ts'
import { languages } from '#contract/languages.ts'
import { Id, nullable, oneOf } from '#contract/shapes.ts'
import { command, roles } from './command.ts'

/** The sources of a section's videos; `of` is the slug of the tag or category, `videos` are the manually chosen ones. */
export const sources = ['featured', 'newest', 'popular', 'recommended', 'category', 'tag', 'videos'] as const

const Title = Type.String({ maxLength: 100 })

export const DraftSection = Type.Object({
  /** Null for a new section. */
  id: nullable(Id),
  kind: oneOf(sectionKinds),
  /** By language; English is required. */
  titles: Type.Object(
    Object.fromEntries(languages.map((language) => [language, Type.Optional(Title)])) as {
      [Language in (typeof languages)[number]]: ReturnType<typeof Type.Optional<typeof Title>>
    },
    { 'x-keyed-by-language': true },
  ),
  source: Type.Object({
    from: oneOf(sources),
    /** The slug of the tag or category. */
    of: Type.Optional(Type.String({ maxLength: 100 })),
    videos: Type.Optional(Type.Array(Id, { maxItems: 100 })),
  }),
})
export type DraftSection = Static<typeof DraftSection>

export const payLayouts = ['sheet', 'card'] as const

/** The homepage in the editor. */
export const Draft = Type.Object({
  sections: Type.Array(DraftSection, { maxItems: 40 }),
  /** Ids of the categories, in the order of the menu. */
  menu: Type.Array(Id, { maxItems: 1000 }),
  /** The copyright line in the footer; null for the default. */
  copyright: nullable(Type.String({ maxLength: 200 })),
  pay_theme: Type.Object({
    layout: oneOf(payLayouts),
    /** A colour such as `#ff8a4c`. */
    accent: Type.String({ maxLength: 20 }),
  }),
})
export type Draft = Static<typeof Draft>

const Named = Type.Object({ id: Id, slug: Type.String(), name: Type.String() })

const Composed = Type.Object({
  draft: Draft,
  /** The version of the loaded homepage. Saving requires it, which prevents lost updates. */
  version: Type.String(),
  categories: Type.Array(Named),
  /** The tags with the most videos. */
  tags: Type.Array(Named),
  /** The names of the manually chosen videos. */
  picked: Type.Array(Type.Object({ id: Id, name: Type.String() })),
})
export type Composed = Static<typeof Composed>

export const showHomepage = command({
  method: 'GET',
  path: '/api/studio/homepage',
  command: 'homepage show',
  roles,
  summary: "Shows the homepage's configuration: sections, menu, copyright and pay theme",
  refuses: [],
  info: Composed,
})

export const previewHomepage = command({
  method: 'POST',
  path: '/api/studio/homepage/preview',
  command: 'homepage preview',
  roles: ['owner', 'editor'],
  summary: 'Returns a preview of the homepage from a draft',
  refuses: [],
  body: Type.Object({ draft: Draft }),
  info: getHomepage.info,
})

export const saveHomepage = command({
  method: 'POST',
  path: '/api/studio/homepage',
  command: 'homepage save',
  roles: ['owner', 'editor'],
  summary: 'Publishes a draft as the homepage within two seconds',
  refuses: ['movedOn', 'settingInvalid'],
  body: Type.Object({ draft: Draft, version: Type.String({ maxLength: 100 }) }),
  info: Composed,
})
