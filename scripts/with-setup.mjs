// Installs missing packages, then runs the TypeScript file of the first argument with the other arguments.
// Options before the file: `--full` also installs the development tools, `--built` builds the pages if they changed.
import { loadEnvFile } from './env-file.mjs'
import { buildWeb, main, root, run, setUp } from './setup.mjs'

await main(async () => {
  const args = process.argv.slice(2)
  const took = (flag) => args[0] === flag && args.shift() !== undefined
  const full = took('--full')
  const built = took('--built')
  // Only for commands of the site: benchmarks and builds have their own settings.
  if (args[0]?.startsWith('server/')) loadEnvFile(root)
  await setUp(full ? 'full' : 'run')
  return (built ? await buildWeb() : 0) || run('node', args)
})
