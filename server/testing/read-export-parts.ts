import { isPages } from '#server/platform/database/read-pages.ts'

/** Reads all parts of a data export completely, including lists with pages. */
export async function readExportParts(
  parts: Promise<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const read = Object.entries(await parts).map(
    async ([name, value]) => [name, await readPart(value)] as const,
  )
  return Object.fromEntries(await Promise.all(read))
}

async function readPart(value: unknown): Promise<unknown> {
  if (!isPages(value)) return value
  const rows: unknown[] = []
  for await (const page of value) rows.push(...page)
  return rows
}
