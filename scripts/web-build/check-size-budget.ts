/**
 * Compares the compressed size of each route's scripts with its budget.
 * @param scripts the files of each route
 * @param budget maximum size in KiB, by route
 * @param sizeOf returns the compressed size of a file in bytes
 * @returns a line for each route, and descriptions of problems
 */
export async function checkSizeBudget(
  scripts: Record<string, string[]>,
  budget: Record<string, number>,
  sizeOf: (file: string) => Promise<number>,
): Promise<{ rows: string[]; problems: string[] }> {
  const problems = Object.keys(budget)
    .filter((route) => !scripts[route])
    .map((route) => `${route} is not a route`)
  const rows: string[] = []
  for (const [route, files] of Object.entries(scripts)) {
    const sizes = await Promise.all(files.map(sizeOf))
    const kib = sizes.reduce((sum, size) => sum + size, 0) / 1024
    const limit = budget[route]
    rows.push(`${kib.toFixed(1).padStart(8)} of ${String(limit ?? '–').padStart(3)} KiB  ${route}`)
    if (limit === undefined) problems.push(`${route} has no budget`)
    else if (kib > limit) problems.push(`${route} loads ${kib.toFixed(1)} KiB of JavaScript, not ${limit}`)
  }
  return { rows, problems }
}
