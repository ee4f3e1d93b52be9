/** A move that the state machine does not allow: a defect or a lost race, never a user's mistake. */
export class IllegalTransition extends Error {
  override readonly name = 'IllegalTransition'
}

/** @throws IllegalTransition if a guarded update changed no record, because it was in another state */
export function checkTransition({ numUpdatedRows }: { numUpdatedRows: bigint }, transition: string): void {
  if (numUpdatedRows !== 1n) throw new IllegalTransition(transition)
}

/**
 * The states of one kind of record and the moves between them. An update is guarded by `from`: it changes nothing if the record
 * is in another state.
 */
export interface StateMachine<S extends string> {
  /** Returns the states from which `to` may be reached. @throws IllegalTransition if there is none, as for an initial state */
  sourcesOf(to: S): S[]
  allows(from: S, to: S): boolean
}

export function stateMachine<S extends string>(transitions: Record<S, readonly S[]>): StateMachine<S> {
  // Object.keys of a Record<S, …> returns its S, but has a wider type.
  const states = Object.keys(transitions) as S[]
  return {
    sourcesOf(to) {
      const sources = states.filter((state) => transitions[state].includes(to))
      if (sources.length === 0) throw new IllegalTransition(`nothing leads to ${to}`)
      return sources
    },
    allows: (from, to) => transitions[from].includes(to),
  }
}
