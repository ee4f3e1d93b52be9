import { createHash } from 'node:crypto'
import { runAside } from '#server/platform/processes/run-aside.ts'
import type { Parsed, Values } from './parse-markdown.ts'

const module = new URL('./parse-markdown.ts', import.meta.url).href
const mostKept = 200

/** Cache of parsed texts, by text and values. */
const known = new Map<string, Promise<Parsed>>()

/**
 * Parses a text like `parseMarkdown`, in a worker thread, since some texts take seconds. The result is cached.
 * @throws Error if the text cannot be parsed, or not in time
 */
export function parseAside(markdown: string, values: Values): Promise<Parsed> {
  const key = createHash('sha256')
    .update(JSON.stringify([markdown, values]))
    .digest('base64url')
  const parsed = known.get(key)
  if (parsed) return parsed
  const [oldest] = known.keys()
  if (oldest !== undefined && known.size >= mostKept) known.delete(oldest)
  // The thread returns the result of parseMarkdown.
  const parsing = runAside({ module, name: 'parseMarkdown', args: [markdown, values] }) as Promise<Parsed>
  known.set(key, parsing)
  parsing.catch(() => known.delete(key))
  return parsing
}
