import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
// Skips the packages that bench/lighthouse installs.
const installed = ['**/node_modules/**']
const pages = globSync(['*.md', 'docs/**/*.md', '.github/**/*.md'], { cwd: root }).toSorted()

/** Returns GitHub's anchor for a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const anchorsIn = (page: string) =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

/** Returns a page's links to files and headings of the project, without links to GitHub pages such as the workflows. */
const linksIn = (page: string) =>
  [...read(page).matchAll(/\]\((?!https?:|mailto:|\.\.\/\.\.\/actions\/)([^)\s]+)\)/g)].map(
    ([, link = '']) => link,
  )

function isBroken(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, target))) return true
  return anchor !== undefined && target.endsWith('.md') && !anchorsIn(target).includes(anchor)
}

test('every link in the documents refers to an existing file and heading', () => {
  expect(pages.length).toBeGreaterThan(40)
  const broken = pages.flatMap((page) =>
    linksIn(page)
      .filter((link) => isBroken(page, link))
      .map((link) => `${page}: ${link}`),
  )
  expect(broken).toEqual([])
})

test('every source file and folder that a document names exists', () => {
  const sources = globSync(['{contract,server,web,demo,scripts,bench,deploy,e2e}/**/*', '*.ts'], {
    cwd: root,
    exclude: installed,
  })
  const paths = sources.map((path) => `/${path}/`)
  const pattern =
    /`((?:contract|server|web|demo|scripts|bench|deploy|e2e)\/[\w./-]+|[\w./-]+\.(?:tsx?|mjs|sql))`/g
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(pattern)].map(([, name = '']) => ({ page, name: name.replace(/\/$/, '') })),
  )
  expect(named.length).toBeGreaterThan(80)
  expect(named.filter(({ name }) => !paths.some((path) => path.endsWith(`/${name}/`)))).toEqual([])
})

test('every document that code or configuration refers to exists', () => {
  const sources = globSync(
    [
      '{contract,server,web,scripts,deploy,e2e,bench,demo}/**/*.{ts,tsx,mjs,js,json,yaml,yml,conf,service}',
      '*.{ts,yaml}',
    ],
    { cwd: root, exclude: installed },
  )
  const missing = [...sources, '.env.example', 'Dockerfile'].flatMap((source) =>
    [...read(source).matchAll(/\bdocs\/[\w/-]+\.md\b/g)]
      .filter(([named]) => !existsSync(join(root, named)))
      .map(([named]) => `${source}: ${named}`),
  )
  expect(missing).toEqual([])
})

test("the operator's index links to each of its pages, which have at most 200 lines", () => {
  const tasks = linksIn('docs/operating.md').filter((link) => !link.includes('/'))
  expect(tasks).toEqual(
    expect.arrayContaining([
      'configure.md',
      'payments.md',
      'storage-and-cdn.md',
      'video.md',
      'studio.md',
      'backup.md',
      'upgrade.md',
      'troubleshoot.md',
    ]),
  )
  const long = [...tasks, 'operating.md'].filter((page) => read(`docs/${page}`).split('\n').length > 200)
  expect(long).toEqual([])
})
