// npm run test:mutation: runs the mutation tests of critical code (docs/mutation.md). The last line of the output is `N
// passed, N failed`, which counts groups of files: a group fails if its tests detect fewer than 85 % of its mutants.
// The arguments are names of groups; `--force` repeats everything.
import { readArguments } from './read-arguments.mjs'
import { main, run, setUp } from './setup.mjs'

readArguments({
  name: 'test:mutation',
  about: 'Runs the mutation tests of docs/mutation.md.',
  options: { force: { type: 'boolean', about: 'also repeats unchanged groups' } },
  positionals: '[group …]',
})

await main(async () => {
  await setUp('full')
  return run('node', ['scripts/mutation/run.ts', ...process.argv.slice(2)])
})
