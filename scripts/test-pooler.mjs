// npm run test:pooler: runs the unit and HTTP tests through PgBouncer in transaction mode, and with a read replica.
import { readArguments } from './read-arguments.mjs'
import { chooseSeed, runWithPooler, sayOutcomes } from './test-runner/run-tests.mjs'
import { main, setUp } from './setup.mjs'

const { values, positionals } = readArguments({
  name: 'test:pooler',
  about:
    'Runs the unit and HTTP tests through PgBouncer (Debian package pgbouncer) in transaction mode, and with DATABASE_READ_URL.',
  options: {
    direct: { type: 'boolean', about: 'with DATABASE_READ_URL only, without PgBouncer' },
    seed: { type: 'string', about: 'repeats the random order of an earlier run' },
  },
  positionals: '[folder …]',
})

await main(async () => {
  await setUp('full')
  process.env['PATH'] += ':/usr/sbin'
  const seed = chooseSeed()
  const folders = positionals.length > 0 ? positionals : ['server']
  return sayOutcomes(seed, await runWithPooler(seed, folders, { direct: values.direct }))
})
