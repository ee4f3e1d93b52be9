import pg from 'pg'

/**
 * Converts columns to JavaScript values, beyond what `pg` does: int8 to a number, date to a string `YYYY-MM-DD`; timestamptz stays a
 * Date.
 */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary' && oid === pg.types.builtins.INT8) return parseInt8
    if (format !== 'binary' && oid === pg.types.builtins.DATE) return (text: string) => text
    return pg.types.getTypeParser(oid, format)
  },
}

function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value))
    throw new RangeError(`The database holds ${text}, which is more than a number can carry exactly.`)
  return value
}
