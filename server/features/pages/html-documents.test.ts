import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDocuments } from './html-documents.ts'

const script = '<script type="module" crossorigin src="/assets/index.js"></script>'
const chunk = '<link rel="modulepreload" crossorigin href="/assets/calls.js">'
const fonts = ['latin', 'greek'].map((name) => `<link rel="preload" href="/assets/${name}.woff2" as="font">`)

/** Creates the documents of a build whose pages have these tags in their head. */
function documentsWith(tags: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), 'cliffhanger-documents-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const page = `<html lang="en"><head>${tags.join('')}</head><body><!--picture--></body></html>`
  for (const name of ['index', 'order', 'studio']) writeFileSync(join(root, `${name}.html`), page)
  writeFileSync(join(root, 'preloads.json'), '{}')
  for (const name of ['play-first', 'reload-on-failure'])
    writeFileSync(join(root, `${name}.js`), `/* ${name} */`)
  return createDocuments(root, () => ({ site: 'Cliffhanger', logo: '/logo.svg', consent: 'standard' }))
}

test('a document that plays an episode at once defers its scripts and preloads no font', () => {
  const documents = documentsWith([script, chunk, ...fonts])
  const { html } = documents.render('index', '/', 'en', { head: '', plays: true })
  expect(html).toContain(`<head></head><body><template id="interface">${script}${chunk}</template>`)
  expect(html).not.toContain('rel="preload"')
})

test('any other document loads its scripts and fonts in its head', () => {
  const documents = documentsWith([script, chunk, ...fonts])
  const { html } = documents.render('index', '/', 'en', { head: '' })
  expect(html).toContain(`<head>${[script, chunk, ...fonts].join('')}</head>`)
})

test('a script that reloads the document after a failed script is inlined with the nonce, unless an episode plays', () => {
  const documents = documentsWith([`<!--boot-->${script}`])
  const { html, nonce } = documents.render('index', '/', 'en', { head: '' })
  expect(html).toContain(`<script nonce="${nonce}">/* reload-on-failure */</script>${script}`)
  const playing = documents.render('index', '/', 'en', { head: '', plays: true })
  expect(playing.html).not.toContain('reload-on-failure')
})
