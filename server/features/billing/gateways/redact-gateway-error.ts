interface Described {
  type: string
  code?: string
  status?: number
  /** The gateway's name for the request, by which its support finds it. */
  request?: string
}

/**
 * What a log may hold of an error that a gateway's call threw. The error itself may carry the request and the answer, with
 * a payment's secret and somebody's address in them, and repeat either in its message.
 */
export function redactGatewayError(error: unknown): Described {
  const known: Record<string, unknown> = Object(error)
  const { code, issue, cause, status, statusCode, requestId, debugId } = known
  const numbers = [status, statusCode].filter((value) => typeof value === 'number')
  return {
    type: wordOf(known.constructor.name) ?? 'Error',
    code: wordOf(code, issue, Object(cause).code),
    status: numbers[0],
    request: wordOf(requestId, debugId),
  }
}

/** The first that is a name or a code: a word without blanks. */
function wordOf(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && /^[\w.:-]{1,100}$/.test(value))
}
