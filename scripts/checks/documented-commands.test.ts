import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { fileCommands } from '#server/cli/studio-file-commands.ts'
import { queryCommand } from '#server/cli/studio-program.ts'
import { studioCommands } from '#server/features/studio/studio.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).toSorted()

/** Returns the matches of a pattern's first group in all pages, each with its page. */
const named = (pattern: RegExp) =>
  pages.flatMap((page) => [...read(page).matchAll(pattern)].map(([, name = '']) => ({ page, name })))

/** The command lines in all pages. A line that continues on the next one is joined with it. */
const typed = pages.flatMap((page) =>
  [...read(page).matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line) => ({ page, line })),
  ),
)

const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts

test('every npm script that a document names exists', () => {
  const names = named(/\bnpm run ([a-z][a-z:]*)/g)
  expect(names.length).toBeGreaterThan(40)
  expect(names.filter(({ name }) => !Object.hasOwn(scripts, name))).toEqual([])
})

test('every measurement that a document names exists', () => {
  const source = read('bench/run.ts')
  const names = named(/\bnpm run bench -- ([a-z][a-z-]*)/g)
  expect(names.filter(({ name }) => !new RegExp(`^ +'?${name}'?: async`, 'm').test(source))).toEqual([])
})

test('every command of the studio that a document gives in full exists', () => {
  const endpoints = [...studioCommands.map(({ endpoint }) => endpoint), ...fileCommands]
  const words = [...endpoints.map(({ command }) => command), queryCommand]
  const names = named(/(?:npm run studio --|cliffhanger studio) ([a-z][a-z -]*)/g)
  expect(names.length).toBeGreaterThan(8)
  expect(names.filter(({ name }) => !words.some((command) => `${name} `.startsWith(`${command} `)))).toEqual(
    [],
  )
})

test('every command of the image that a document gives exists', () => {
  const own = [...read('deploy/image/cliffhanger').matchAll(/^ {2}([a-z-]+)\)/gm)]
  const shared = Object.values(scripts).flatMap((script) => [...script.matchAll(/server\/cli\.ts ([a-z]+)/g)])
  const known = new Set([...own, ...shared].map(([, name]) => name))
  const names = typed.flatMap(({ page, line }) =>
    [
      ...line.matchAll(
        /(?:^|&& |-- |=\S+ |^ *\S*\/|\b(?:web|worker|migrate|backup) )cliffhanger ([a-z][a-z-]*)/g,
      ),
    ].map(([, name]) => ({ page, name })),
  )
  expect(names.length).toBeGreaterThan(8)
  expect(names.filter(({ name }) => !known.has(name))).toEqual([])
})

test('every service of compose.yaml that a documented command names exists', () => {
  const services = Object.keys(parse(read('compose.yaml'), { merge: true }).services)
  const names = typed.flatMap(({ page, line }) =>
    [...line.matchAll(/docker compose (?:run|exec|stop|logs)(?: -v \S+| -\S+)* ([a-z]+)/g)].map(
      ([, name = '']) => ({
        page,
        name,
      }),
    ),
  )
  expect(names.length).toBeGreaterThan(4)
  expect(names.filter(({ name }) => !services.includes(name))).toEqual([])
})

test('every file of deploy/ and every line of .env that a documented command names exists', () => {
  const files = typed.flatMap(({ page, line }) =>
    [...line.matchAll(/\bdeploy\/[\w./*-]+/g)].map(([path]) => ({ page, path })),
  )
  // `deploy/site-web` names a Kubernetes deployment, not a path.
  const missing = files.filter(
    ({ path }) => !path.startsWith('deploy/site-') && globSync(path, { cwd: root }).length === 0,
  )
  expect(missing).toEqual([])
  const example = read('.env.example')
  const settings = typed.flatMap(({ line }) => [...line.matchAll(/s\|\^([A-Z_]+)=/g)].map(([, name]) => name))
  expect(settings.length).toBeGreaterThan(1)
  expect(settings.filter((name) => !example.includes(`\n${name}=\n`))).toEqual([])
})
