// Fills the compile cache of a release, because the site cannot write to the cache later (Dockerfile). Node keeps a
// separate cache for each user and each set of V8 options. So this script runs as the site's user, and loads the code
// twice: with the site's options, and without options for the worker and the commands.
import { readFileSync } from 'node:fs'
import { main, run } from './setup.mjs'

const nodeFlags = JSON.parse(readFileSync(new URL('node-flags.json', import.meta.url), 'utf8'))
/** The chunks that every site loads. Others are omitted, to keep the image small. */
const chunks = ['start-site', 'start-worker', 'create-metrics'].map(
  (name) => new URL(`../server/bundle/chunk-${name}.js`, import.meta.url).href,
)
const loadChunks = `for (const chunk of ${JSON.stringify(chunks)}) await import(chunk)`
/** With an invalid setting, a process exits before it opens anything. */
const env = { PUBLIC_URL: 'nowhere' }

await main(async () => {
  for (const flags of [nodeFlags, []]) {
    const status = await run('node', [...flags, '--input-type=module', '--eval', loadChunks])
    if (status !== 0) return status
  }
  await run('node', [...nodeFlags, 'server/main.ts'], env)
  await run('node', ['server/worker.ts'], env)
  await run('node', ['server/cli.ts', '--version'])
  return 0
})
