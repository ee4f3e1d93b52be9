/** A move that the state machine does not allow: a defect or a lost race, never a user's mistake. */
export class IllegalMove extends Error {
  override readonly name = 'IllegalMove'
}

/** @throws IllegalMove if a guarded update changed no record, because it was in another state */
export function checkMoved({ numUpdatedRows }: { numUpdatedRows: bigint }, move: string): void {
  if (numUpdatedRows !== 1n) throw new IllegalMove(move)
}

/**
 * The states of one kind of record and the moves between them. An update is guarded by `from`: it changes nothing if the record
 * is in another state.
 */
export interface StateMachine<S extends string> {
  /** Returns the states from which `to` may be reached. @throws IllegalMove if there is none, as for an initial state */
  from(to: S): S[]
  allows(from: S, to: S): boolean
}

export function stateMachine<S extends string>(moves: Record<S, readonly S[]>): StateMachine<S> {
  // Object.keys of a Record<S, …> returns its S, but has a wider type.
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
