import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const page = join(import.meta.dirname, '..', '..', 'docs', 'configure.md')

/** The settings that docs/configure.md has in its tables, each also as the file that holds it. */
export function documentedSettings(): Set<string> {
  const rows = readFileSync(page, 'utf8').matchAll(/^\| (`[A-Z][^|]*) \|/gm)
  const names = [...rows].flatMap(([, cell = '']) => cell.match(/[A-Z][A-Z0-9_]+/g) ?? [])
  return new Set(names.flatMap((name) => [name, `${name}_FILE`]))
}
