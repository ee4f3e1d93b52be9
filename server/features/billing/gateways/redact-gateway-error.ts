interface RedactedError {
  type: string
  code?: string
  status?: number
  /** The gateway's id of the request. The gateway's support asks for it. */
  request?: string
}

/**
 * Returns the parts of a gateway's error that may be logged. The full error may quote the request and the response,
 * which can contain a payment's secret and a user's address.
 */
export function redactGatewayError(error: unknown): RedactedError {
  const fields: Record<string, unknown> = Object(error)
  const { code, issue, cause, status, statusCode, requestId, debugId } = fields
  const numbers = [status, statusCode].filter((value) => typeof value === 'number')
  return {
    type: firstSafeToken(fields.constructor.name) ?? 'Error',
    code: firstSafeToken(code, issue, Object(cause).code),
    status: numbers[0],
    request: firstSafeToken(requestId, debugId),
  }
}

/** Returns the first value that looks like a name or a code: a short word without blanks. */
function firstSafeToken(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && /^[\w.:-]{1,100}$/.test(value))
}
