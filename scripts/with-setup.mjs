// Sets up what is missing, then runs the TypeScript file named first with the rest as its arguments. Before it, `--full` also brings the development tools, and `--built` builds the pages if they changed.
import { buildWeb, main, run, setUp } from './setup.mjs'

await main(async () => {
  const args = process.argv.slice(2)
  const took = (flag) => args[0] === flag && args.shift() !== undefined
  const full = took('--full')
  const built = took('--built')
  await setUp(full ? 'full' : 'run')
  return (built ? await buildWeb() : 0) || run('node', args)
})
