// Sets up what is missing, then runs the TypeScript file named first with the rest as its arguments. Before it, `--full` also brings the development tools, and `--built` builds the pages if they changed.
import { loadEnvFile } from './env-file.mjs'
import { buildWeb, main, root, run, setUp } from './setup.mjs'

await main(async () => {
  const args = process.argv.slice(2)
  const took = (flag) => args[0] === flag && args.shift() !== undefined
  const full = took('--full')
  const built = took('--built')
  // Only what works with the site: a bench or a build has settings of its own.
  if (args[0]?.startsWith('server/')) loadEnvFile(root)
  await setUp(full ? 'full' : 'run')
  return (built ? await buildWeb() : 0) || run('node', args)
})
