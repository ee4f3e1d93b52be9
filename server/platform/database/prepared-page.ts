import { sql, type Compilable, type Expression, type Kysely, type SqlBool } from 'kysely'
import { preparedQuery, type Placeholders } from './prepared-query.ts'

/** The position in a list that is sorted newest first: after the entry with this id and time. */
export interface PagePosition {
  at: string
  id: string
}

/** The parts of a query for one page of a user's list. */
interface PageParts {
  userId: Expression<string>
  limit: Expression<number>
  /**
   * Returns the condition that an entry follows the previous page, given the columns of its time and id; always true
   * for the first page.
   */
  isAfterPosition(at: string, id: string): Expression<SqlBool>
}

type Values = { userId: string; limit: number } & PagePosition

/**
 * Prepares the pages of one user's list, newest first. The first page and further pages are separate prepared queries,
 * so that each reads an index from the right position.
 */
export function preparedPage<Tables, Row>(
  build: (db: Kysely<Tables>, parts: PageParts) => Compilable<Row>,
): (db: Kysely<Tables>, userId: string, after: PagePosition | undefined, limit: number) => Promise<Row[]> {
  const first = preparedQuery((db: Kysely<Tables>, { userId, limit }: Placeholders<Values>) =>
    build(db, { userId, limit, isAfterPosition: () => sql<boolean>`true` }),
  )
  const further = preparedQuery((db: Kysely<Tables>, { userId, limit, at, id }: Placeholders<Values>) =>
    build(db, {
      userId,
      limit,
      isAfterPosition: (atColumn, idColumn) =>
        sql<boolean>`${sql.ref(atColumn)} <= ${at} AND (${sql.ref(atColumn)} < ${at} OR ${sql.ref(idColumn)} > ${id})`,
    }),
  )
  return (db, userId, after, limit) =>
    after
      ? further(db, { userId, limit, at: after.at, id: after.id })
      : first(db, { userId, limit, at: '', id: '' })
}
