// Installs missing packages, then runs a TypeScript file: the first argument is its path, the other arguments are
// passed to it.
// Options before the path: `--full` also installs the development tools, `--built` builds the pages if they have
// changed.
import { loadEnvFile } from './env-file.mjs'
import { buildWeb, main, root, run, setUp } from './setup.mjs'

await main(async () => {
  const args = process.argv.slice(2)
  const took = (flag) => args[0] === flag && args.shift() !== undefined
  const full = took('--full')
  const built = took('--built')
  // Reads `.env` only for commands of the site, because benchmarks and builds have their own settings.
  if (args[0]?.startsWith('server/')) loadEnvFile(root)
  await setUp(full ? 'full' : 'run')
  return (built ? await buildWeb() : 0) || run('node', args)
})
