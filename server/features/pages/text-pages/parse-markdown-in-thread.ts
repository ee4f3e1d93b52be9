import { createHash } from 'node:crypto'
import { runInThread } from '#server/platform/processes/run-in-thread.ts'
import type { ParsedText, PlaceholderValues } from './parse-markdown.ts'

const parserUrl = new URL('./parse-markdown.ts', import.meta.url).href
const maxCached = 200

/** Cache of parsed texts. The key is a hash of the text and the placeholder values. */
const cache = new Map<string, Promise<ParsedText>>()

/**
 * Parses a text like `parseMarkdown`, but in a worker thread, because some texts take seconds. The result is cached.
 * @throws Error if the text cannot be parsed, or takes too long
 */
export function parseMarkdownInThread(markdown: string, values: PlaceholderValues): Promise<ParsedText> {
  const key = createHash('sha256')
    .update(JSON.stringify([markdown, values]))
    .digest('base64url')
  const parsed = cache.get(key)
  if (parsed) return parsed
  const [oldest] = cache.keys()
  if (oldest !== undefined && cache.size >= maxCached) cache.delete(oldest)
  // The cast is safe: the thread returns the result of `parseMarkdown`.
  const parsing = runInThread({
    module: parserUrl,
    name: 'parseMarkdown',
    args: [markdown, values],
  }) as Promise<ParsedText>
  cache.set(key, parsing)
  parsing.catch(() => cache.delete(key))
  return parsing
}
