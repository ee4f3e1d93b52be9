import { Type, type Static } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Time, FormText, stringEnum } from './schemas.ts'

/** The pages whose text the operator can edit; each is a route of the same name. */
export const pageNames = [
  'serviceAgreement',
  'privacyPolicy',
  'refundPolicy',
  'contentPolicy',
  'commonQuestions',
  'contactUs',
] as const
export type PageName = (typeof pageNames)[number]

/**
 * A run of text with the same style. `href` is an https, http or mailto URL, a path of this site or a fragment of the
 * page.
 */
const Run = Type.Object({
  text: Type.String(),
  strong: Type.Optional(Type.Boolean()),
  emphasis: Type.Optional(Type.Boolean()),
  href: Type.Optional(Type.String()),
})
export type Run = Static<typeof Run>

/**
 * A block of a page. A `list` or `steps` has one line per item, every other block has one line. A heading has an id for
 * links.
 */
export const Block = Type.Object({
  kind: stringEnum(['heading', 'subheading', 'paragraph', 'list', 'steps']),
  id: Type.Optional(Type.String()),
  lines: Type.Array(Type.Array(Run)),
})
export type Block = Static<typeof Block>

const Page = Type.Object({
  name: stringEnum(pageNames),
  title: Type.String(),
  blocks: Type.Array(Block),
  updated_at: Time,
})
export type Page = Static<typeof Page>

export const getPage = endpoint({
  method: 'GET',
  path: '/api/page/:name',
  summary:
    'Returns one of the six pages (terms, privacy, refunds, content, questions, contact), parsed into blocks',
  refuses: ['notFound'],
  query: Type.Object({ name: Type.String({ maxLength: 64 }) }),
  info: Page,
})

/** Maximum length of a message to the operator, in characters. */
export const maxMessageLength = 5000

export const sendMessage = endpoint({
  method: 'POST',
  path: '/api/contact',
  summary: 'Sends a message to the operator by mail',
  refuses: ['nameInvalid', 'emailInvalid', 'messageInvalid', 'cardNumberInMessage'],
  body: Type.Object({
    name: FormText,
    email: FormText,
    message: FormText,
  }),
  info: Type.Object({ sent: Type.Boolean() }),
})
