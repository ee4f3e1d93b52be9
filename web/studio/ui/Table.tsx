import type { Key, ReactNode } from 'react'
import styles from './table.module.css'

export interface Column<Row> {
  /** The heading. On a phone, where each row is a card, it is also shown beside the value. */
  title: string
  cell: (row: Row) => ReactNode
  /** True for short text that must stay on one line, such as a time. */
  whole?: boolean
  /** True for numbers, which are aligned to the end of the column. */
  figures?: boolean
  /** True for buttons, which a card shows without the column's title. */
  actions?: boolean
}

/**
 * With this number of columns or more, the table needs more width than a tablet has. A column of buttons counts as two.
 */
const manyColumns = 7
/** With this number of columns or more, the table also needs more width than a phone has in landscape. */
const mostColumns = 10

/** A table. On a phone each row becomes a card with the columns' titles. The first column is the header of the row. */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  slim = false,
  empty,
}: {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => Key
  /** For few, short columns: the table stays a table on a phone. */
  slim?: boolean
  /** Shown if the table has no rows. */
  empty: ReactNode
}) {
  if (rows.length === 0) return <p className={styles.empty}>{empty}</p>
  const classOf = ({ figures, whole, actions }: Column<Row>) =>
    figures ? styles.figures : whole ? styles.whole : actions ? styles.actions : undefined
  return (
    <div className={`${styles.frame} ${widthClass(columns)}`} tabIndex={0} role="region" aria-label={caption}>
      <table className={`${styles.table} ${slim ? styles.slim : styles.cards}`}>
        <caption className="hidden-text">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, index) =>
                index === 0 ? (
                  <th key={column.title} scope="row" className={classOf(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td
                    key={column.title}
                    data-title={column.actions ? undefined : column.title}
                    className={classOf(column)}
                  >
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function widthClass(columns: readonly { actions?: boolean }[]): string | undefined {
  const count = columns.length + columns.filter(({ actions }) => actions).length
  if (count >= mostColumns) return styles.most
  return count >= manyColumns ? styles.many : ''
}
