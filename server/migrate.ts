// npm run migrate: runs pending migrations. Run it before the processes of a new release are started.
import { readArguments } from '#scripts/read-arguments.mjs'
import { loadConfig } from './platform/config/config.ts'
import { runMain } from './platform/config/config-error.ts'
import { openDatabase } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import type { Tables } from '#server/tables.ts'

readArguments({
  name: 'migrate',
  about: 'Updates the database schema, before the first start and before each update.',
})

await runMain(async () => {
  const config = loadConfig(process.env)
  const log = createLog({ json: config.production, level: config.logLevel })
  const database = await openDatabase<Tables>({ ...config, migrate: true }, log)
  await database.close()
  log.info('The database is up to date')
})
