// npm run test:mutation: mutation tests of what must not fail (docs/mutation.md). Ends with one line `N passed, N failed`, which counts
// groups of files: one with fewer than 85 % of its mutants killed has failed. Groups can be named as arguments; `--force` repeats everything.
import { readArguments } from './read-arguments.mjs'
import { main, run, setUp } from './setup.mjs'

readArguments({
  name: 'test:mutation',
  about: 'Runs the mutation tests of docs/mutation.md.',
  options: { force: { type: 'boolean', about: 'repeats what has not changed' } },
  positionals: '[group …]',
})

await main(async () => {
  await setUp('full')
  return run('node', ['scripts/mutation/run.ts', ...process.argv.slice(2)])
})
