type Cell = string | number | null

/** The first characters of a cell that spreadsheets interpret, and run, as a formula. */
const formulaLike = /^[=+\-@\t\r\n]/

/**
 * Formats one line of CSV (RFC 4180). Cells may contain users' input: an apostrophe before a cell that looks like a
 * formula keeps a spreadsheet from running it.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = formulaLike.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
