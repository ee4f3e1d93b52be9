/** A transition that the state machine does not allow. Its cause is a defect or a lost race, never user input. */
export class IllegalTransition extends Error {
  override readonly name = 'IllegalTransition'
}

/** Checks that a guarded update changed one record. @throws IllegalTransition if the record was in another state */
export function checkTransition({ numUpdatedRows }: { numUpdatedRows: bigint }, transition: string): void {
  if (numUpdatedRows !== 1n) throw new IllegalTransition(transition)
}

/**
 * The states of one kind of record and the transitions between them. An update is guarded by `sourcesOf`, so that it
 * changes nothing if the record is in another state.
 */
export interface StateMachine<S extends string> {
  /**
   * Returns the states that can change directly to `to`.
   * @throws IllegalTransition if there is none, because `to` is an initial state
   */
  sourcesOf(to: S): S[]
  allows(from: S, to: S): boolean
}

export function stateMachine<S extends string>(transitions: Record<S, readonly S[]>): StateMachine<S> {
  // `Object.keys` returns `string[]`, although all keys of `transitions` are of type S.
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
