import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A built document of the web, ready to be given out again and again. */
export interface Documents {
  /** The document for a route's chunks, with data for the first screen where there is some. */
  render(name: 'index' | 'order', route: string, boot?: object): { html: string; nonce: string }
}

/**
 * Reads the built documents once.
 * @throws Error naming the folder where the web has not been built
 */
export function readDocuments(webRoot: string): Documents {
  const read = (file: string) => readFileSync(join(webRoot, file), 'utf8')
  const pages = { index: read('index.html'), order: read('order.html') }
  const preloads = JSON.parse(read('preloads.json')) as Record<string, string[]>
  return {
    render(name, route, boot) {
      const nonce = randomBytes(16).toString('base64')
      const links = (preloads[route] ?? []).map(linkTo).join('')
      const data = boot ? `<script type="application/json" id="boot">${scriptSafe(boot)}</script>` : ''
      const html = pages[name]
        .replace('<!--preloads-->', () => links)
        .replace('<!--boot-->', () => data)
        .replaceAll('__NONCE__', nonce)
      return { html, nonce }
    },
  }
}

/** A chunk that the route's screen is going to ask for, asked for at once. */
function linkTo(file: string): string {
  return file.endsWith('.css')
    ? `<link rel="stylesheet" crossorigin href="${file}">`
    : `<link rel="modulepreload" crossorigin href="${file}">`
}

/** JSON that cannot end the script element it stands in. */
function scriptSafe(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
