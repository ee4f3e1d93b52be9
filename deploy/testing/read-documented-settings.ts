import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const page = join(import.meta.dirname, '..', '..', 'docs', 'configure.md')

/** Returns the names of the settings in the tables of docs/configure.md, each also with the suffix `_FILE`. */
export function readDocumentedSettings(): Set<string> {
  const rows = readFileSync(page, 'utf8').matchAll(/^\| (`[A-Z][^|]*) \|/gm)
  const names = [...rows].flatMap(([, cell = '']) => cell.match(/[A-Z][A-Z0-9_]+/g) ?? [])
  return new Set(names.flatMap((name) => [name, `${name}_FILE`]))
}
