// npm run test:mutation: mutation tests of critical code (docs/mutation.md). Prints a last line `N passed, N failed`, which counts
// groups of files: a group fails if fewer than 85 % of its mutants are killed. Arguments name groups; `--force` repeats everything.
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
