import pg from 'pg'

/**
 * Changes how `pg` converts two types: int8 becomes a number, and date a string `YYYY-MM-DD`. All other types keep the
 * conversion of `pg`, so timestamptz becomes a Date.
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
    throw new RangeError(`The database contains ${text}, which a JavaScript number cannot represent exactly.`)
  return value
}
