/** A move that the list of states does not have. A defect or a race that lost, never a person's mistake. */
export class IllegalMove extends Error {
  override readonly name = 'IllegalMove'
}

/** @throws IllegalMove where a guarded update found no record to move: it stood elsewhere */
export function checkMoved({ numUpdatedRows }: { numUpdatedRows: bigint }, move: string): void {
  if (numUpdatedRows !== 1n) throw new IllegalMove(move)
}

/**
 * The states of one kind of record and the moves between them. An update is guarded by `from`: it changes nothing where
 * the record stands elsewhere.
 */
export interface StateMachine<S extends string> {
  /** The states from which `to` may be reached. @throws IllegalMove where there is none: it is where records begin */
  from(to: S): S[]
  allows(from: S, to: S): boolean
}

export function stateMachine<S extends string>(moves: Record<S, readonly S[]>): StateMachine<S> {
  // Object.keys of a Record<S, …> are its S; its type is wider.
  const states = Object.keys(moves) as S[]
  return {
    from(to) {
      const sources = states.filter((state) => moves[state].includes(to))
      if (sources.length === 0) throw new IllegalMove(`nothing leads to ${to}`)
      return sources
    },
    allows: (from, to) => moves[from].includes(to),
  }
}
