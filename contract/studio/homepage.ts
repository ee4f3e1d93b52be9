import { Type, type Static } from 'typebox'
import { getHomepage, sectionKinds } from '#contract/catalog.ts'
import { languages } from '#contract/languages.ts'
import { Id, nullable, stringEnum, Time } from '#contract/schemas.ts'
import { command } from './command.ts'
import { roles } from './roles.ts'

/** The sources of a section's videos. `videos` are manually chosen. */
export const sectionSources = [
  'featured',
  'newest',
  'popular',
  'recommended',
  'category',
  'tag',
  'videos',
] as const

const Title = Type.String({ maxLength: 100 })

export const DraftSection = Type.Object({
  /** Null for a new section. */
  id: nullable(Id),
  kind: stringEnum(sectionKinds),
  /** By language; English is required. */
  titles: Type.Object(
    Object.fromEntries(languages.map((language) => [language, Type.Optional(Title)])) as {
      [Language in (typeof languages)[number]]: ReturnType<typeof Type.Optional<typeof Title>>
    },
    { 'x-keyed-by-language': true },
  ),
  source: Type.Object({
    type: stringEnum(sectionSources),
    /** The slug of the tag or category. */
    slug: Type.Optional(Type.String({ maxLength: 100 })),
    videos: Type.Optional(Type.Array(Id, { maxItems: 100 })),
  }),
})
export type DraftSection = Static<typeof DraftSection>

export const payLayouts = ['sheet', 'card'] as const

/** The homepage in the editor. */
export const HomepageDraft = Type.Object({
  sections: Type.Array(DraftSection, { maxItems: 40 }),
  /** Ids of the categories, in the order of the menu. */
  menu: Type.Array(Id, { maxItems: 1000 }),
  /** The copyright line in the footer; null for the default. */
  copyright: nullable(Type.String({ maxLength: 200 })),
  pay_theme: Type.Object({
    layout: stringEnum(payLayouts),
    /** A colour such as `#ff8a4c`. */
    accent: Type.String({ maxLength: 20 }),
  }),
})
export type HomepageDraft = Static<typeof HomepageDraft>

const NamedLabel = Type.Object({ id: Id, slug: Type.String(), name: Type.String() })

const StudioHomepage = Type.Object({
  draft: HomepageDraft,
  /** The version of the loaded homepage. Saving requires the version, to prevent lost updates. */
  version: Type.String(),
  /**
   * The last publication in the studio; null before the first. `operator` is null if the command line published, or if
   * the reader may not publish.
   */
  published: nullable(Type.Object({ at: Time, operator: nullable(Type.String()) })),
  categories: Type.Array(NamedLabel),
  /** The tags with the most videos. */
  tags: Type.Array(NamedLabel),
  /** The names of the manually chosen videos. */
  selected_videos: Type.Array(Type.Object({ id: Id, name: Type.String() })),
})
export type StudioHomepage = Static<typeof StudioHomepage>

export const showHomepage = command({
  method: 'GET',
  path: '/api/studio/homepage',
  command: 'homepage show',
  roles,
  summary: "Shows the homepage's configuration: sections, menu, copyright and pay theme",
  refuses: [],
  info: StudioHomepage,
})

export const previewHomepage = command({
  method: 'POST',
  path: '/api/studio/homepage/preview',
  command: 'homepage preview',
  roles: ['owner', 'editor'],
  summary: 'Returns a preview of the homepage from a draft',
  refuses: [],
  body: Type.Object({ draft: HomepageDraft }),
  info: getHomepage.info,
})

export const saveHomepage = command({
  method: 'POST',
  path: '/api/studio/homepage',
  command: 'homepage save',
  roles: ['owner', 'editor'],
  summary: 'Publishes a draft as the homepage; viewers see it within two seconds',
  refuses: ['editConflict', 'settingInvalid'],
  body: Type.Object({ draft: HomepageDraft, version: Type.String({ maxLength: 100 }) }),
  info: StudioHomepage,
})
