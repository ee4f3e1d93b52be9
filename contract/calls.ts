import * as billing from './billing.ts'
import * as catalog from './catalog.ts'
import { isEndpoint, type Endpoint } from './endpoint.ts'
import * as library from './library.ts'
import * as media from './media.ts'
import * as members from './members.ts'
import * as operations from './operations.ts'
import * as pages from './pages.ts'
import * as social from './social.ts'
import * as tracking from './tracking.ts'

const modules = [members, social, catalog, library, media, billing, tracking, pages, operations]

/** Every call of the contract, for what is about all of them: documents and tests. */
export const calls: readonly Endpoint[] = modules.flatMap((module) =>
  Object.values<unknown>(module).filter(isEndpoint),
)
