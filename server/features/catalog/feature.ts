import type { Database } from '#server/platform/database/database.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Tables } from '#server/tables.ts'
import { createCatalog } from './create-catalog.ts'
import { seedHomepage } from './homepage/seed-homepage.ts'

interface Dependencies {
  database: Database<Tables>
  clock: Clock
}

/** Creates the default homepage in a new database, and adds the cached reads of the catalogue to the context. */
export async function catalogFeature({ database, clock }: Dependencies) {
  await seedHomepage(database.db)
  return { parts: createCatalog(database.readDb, clock) }
}
