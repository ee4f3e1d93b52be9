/** Thrown if the books violate a rule. */
class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation'
}

export function ensure(holds: boolean, rule: string, about?: unknown): asserts holds {
  if (!holds) throw new InvariantViolation(about === undefined ? rule : `${rule}: ${JSON.stringify(about)}`)
}
