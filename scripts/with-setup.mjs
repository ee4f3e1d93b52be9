// Sets up what is missing, then runs the TypeScript file named first with the rest as its arguments. `--full` before it also brings the development tools.
import { main, run, setUp } from './setup.mjs'

await main(async () => {
  const args = process.argv.slice(2)
  const full = args[0] === '--full'
  await setUp(full ? 'full' : 'run')
  return run('node', full ? args.slice(1) : args)
})
