import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { getUser, registerUser } from '#contract/members.ts'
import { getPage } from '#contract/pages.ts'
import { isReachable, waitUntil } from '#server/testing/wait-until.ts'
import { freePort } from '#server/testing/site/free-port.ts'
import { visitorFactory } from '#server/testing/site/visitor.ts'
import { ffmpegSettings, startWithCleanEnv, unpackRelease } from './run-release.ts'

const patienceMs = 120_000
let release: ReturnType<typeof unpackRelease>

beforeAll(() => {
  release = unpackRelease()
})
afterAll(() => release?.remove())

it('a release contains no tests, build tools or test tools', () => {
  const files = readdirSync(release.folder, { recursive: true, encoding: 'utf8' })
  const own = files.filter((file) => !file.startsWith('node_modules/'))
  expect(own.filter((file) => /\.(test|live)\.ts$|(^|\/)testing(\/|$)|^web\//.test(file))).toEqual([])
  // The bundle contains the code of all other sources.
  expect(own.filter((file) => /^(contract|demo|server)\/.*\.ts$/.test(file)).toSorted()).toEqual([
    'server/cli.ts',
    'server/features/billing/gateways/sandbox/authenticated.browser.ts',
    'server/features/billing/gateways/sandbox/card-form.browser.ts',
    'server/features/billing/gateways/sandbox/express-sheet.browser.ts',
    'server/main.ts',
    'server/migrate.ts',
    'server/show-config.ts',
    'server/worker.ts',
  ])
  for (const name of ['vite', 'react', 'typescript', 'vitest', '@playwright', '@ffmpeg-installer'])
    expect(files).not.toContain(`node_modules/${name}`)
  expect(statSync(release.archive).size).toBeLessThan(120e6)
})

it('a release starts on its embedded database without a package registry, serves its pages and exits at SIGTERM', async () => {
  const port = await freePort()
  const site = startWithCleanEnv(release.folder, [process.execPath, 'scripts/start.mjs'], {
    ...(await ffmpegSettings()),
    PORT: String(port),
    DEMO: '0',
    DATA_DIR: join(release.folder, '..', 'data'),
    // Requests to the package registry fail.
    npm_config_registry: 'http://127.0.0.1:1',
  })
  onTestFinished(() => void site.child.kill())
  const url = `http://localhost:${port}`
  const ready = waitUntil('the site is ready', () => isReachable(`${url}/api/ready`), patienceMs)
  await Promise.race([ready, site.ended.then(() => Promise.reject(new Error(site.output())))])
  const page = await (await fetch(url)).text()
  expect(page).toContain('<title>')
  const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(page) ?? []
  expect((await fetch(url + script)).status).toBe(200)
  const visitor = visitorFactory(url)()
  await visitor.callOk(getUser)
  const terms = await visitor.callOk(getPage, { query: { name: 'serviceAgreement' } })
  expect(terms.blocks.length).toBeGreaterThan(5)
  // Passwords are hashed in a thread.
  const password = 'nine parts of a drama'
  const form = { email: 'member@example.com', password, repeat_password: password }
  expect(await visitor.callOk(registerUser, { body: form })).toMatchObject({ email: form.email })
  expect(await (await fetch(`${url}/sandbox/card.js`)).text()).toContain('addEventListener')
  site.child.kill('SIGTERM')
  expect(await site.ended).toEqual([0, null])
  expect(site.output()).not.toMatch(/Installing|Building/)
})

/** Runs a function in threads. Like `runInThread`, terminates each thread once it has returned its result. */
const runInThreads = `
  import { Worker } from 'node:worker_threads'
  const [thread, data] = process.argv.slice(1)
  for (let run = 0; run < 20; run++) {
    const worker = new Worker(thread, { workerData: JSON.parse(data), execArgv: [] })
    await new Promise((resolve) => {
      worker.on('message', (message) => message === 'loaded' || resolve(console.log(JSON.stringify(message))))
    })
    await worker.terminate()
  }`

it.each([
  [
    'parseVideoYaml',
    'features-media-ingest-import-parse-video-yaml.js',
    [
      [
        'title: { en: Night Train }',
        'synopsis: { en: A murder. }',
        'free_episodes: 2',
        'price: { currency: USD, episode_cents: 99, video_cents: 299 }',
      ].join('\n'),
    ],
    { titles: { en: 'Night Train' } },
  ],
  [
    'parseMarkdown',
    'features-pages-text-pages-parse-markdown.js',
    ['# Night Train', {}],
    { title: 'Night Train' },
  ],
])('a release runs %s in a thread, which can be terminated', (name, file, args, result) => {
  const bundle = join(release.folder, 'server/bundle')
  const data = JSON.stringify({ module: pathToFileURL(join(bundle, file)).href, name, args })
  const thread = join(bundle, 'platform-processes-thread-entry.js')
  const { status, stdout, stderr } = spawnSync(
    join(release.folder, 'bin/node'),
    ['--input-type=module', '--eval', runInThreads, thread, data],
    { encoding: 'utf8' },
  )
  expect([status, stderr]).toEqual([0, ''])
  const results = stdout.trim().split('\n')
  expect(results).toHaveLength(20)
  for (const line of results) expect(JSON.parse(line)).toMatchObject({ result })
})
