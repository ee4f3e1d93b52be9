type Cell = string | number | null

/** Spreadsheets take a cell that begins so for a formula, and would run it. */
const formulaLike = /^[=+\-@\t\r\n]/

/**
 * One line of CSV (RFC 4180). What a spreadsheet would take for a formula is marked as text by an apostrophe, since what
 * people typed is in cells, too.
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
