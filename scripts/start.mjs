// npm start: sets up what is missing, builds the pages if they changed, and runs the site.
import { buildWeb, main, run, setUp } from './setup.mjs'

await main(async () => {
  await setUp('run')
  return (await buildWeb()) || run('node', ['server/main.ts', ...process.argv.slice(2)])
})
