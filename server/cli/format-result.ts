import { formatMoney } from '#contract/money.ts'
import { csvLine } from '#server/platform/csv.ts'

type Row = Record<string, unknown>

/** Formats an answer as text: a list as a table, a record as one line per field. Amounts are in currency units. */
export function formatResult(result: unknown): string {
  if (!isRow(result)) return String(result)
  if (!('list' in result) || !Array.isArray(result['list'])) return formatRecord(result)
  const { list, next_cursor: cursor } = result
  const table = list.length > 0 ? formatTable(list) : 'No results.'
  return cursor ? `${table}\n(more: --cursor ${String(cursor)})` : table
}

/** Formats rows as CSV, without the final line break. */
export function formatCsv(rows: readonly Row[]): string {
  const cellOf = (value: unknown) =>
    typeof value === 'number' || typeof value === 'string' || value === null ? value : JSON.stringify(value)
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row).map(cellOf))]
  return lines.map(csvLine).join('').slice(0, -'\r\n'.length)
}

function formatRecord(record: Row): string {
  const currency = currencyOf(record)
  return Object.entries(record)
    .map(([name, value]) => `${fieldLabel(name)}: ${formatCell(name, value, currency)}`)
    .join('\n')
}

/** Formats rows in columns under the names of their fields. */
function formatTable(rows: readonly unknown[]): string {
  const records = rows.map((row) => (isRow(row) ? row : { value: row }))
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
  const lines = [
    names.map((name) => fieldLabel(name).replaceAll('_', ' ').toUpperCase()),
    ...records.map((record) => {
      const currency = currencyOf(record)
      return names.map((name) => formatCell(name, record[name], currency))
    }),
  ]
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null

/** Strips the unit from an amount's name, because amounts are printed in units of their currency. */
const fieldLabel = (name: string) => name.replace(/_cents$/, '')

const isCurrency = (value: unknown): value is string => typeof value === 'string' && /^[A-Z]{3}$/.test(value)

/** Returns the currency of a row's amounts, from the row or a part of it. */
function currencyOf(row: Row): string | undefined {
  if (isCurrency(row['currency'])) return row['currency']
  const parts = Object.values(row).filter(isRow)
  return parts.map((part) => part['currency']).find(isCurrency)
}

function formatCell(name: string, value: unknown, currency: string | undefined): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'number' && name.endsWith('_cents')) return formatAmount(value, currency)
  if (Array.isArray(value) && value.every((part) => isRow(part) && isCurrency(part['currency'])))
    return value.map((part: Row) => formatSums(part)).join(' + ') || '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const formatAmount = (cents: number, currency: string | undefined): string =>
  currency === undefined ? (cents / 100).toFixed(2) : formatMoney(cents, currency, 'en')

/** Formats the sums in one currency: the net amount if there is one, otherwise each amount with its name. */
function formatSums(sums: Row): string {
  const currency = currencyOf(sums)
  if (typeof sums['net_cents'] === 'number') return formatAmount(sums['net_cents'], currency)
  return Object.entries(sums)
    .filter(([name]) => name !== 'currency')
    .map(([name, value]) => `${fieldLabel(name)} ${formatCell(name, value, currency)}`)
    .join(', ')
}
