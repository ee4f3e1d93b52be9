const maxErrors = 10

/**
 * Collects the page's first errors until the error reporting has loaded.
 * @returns a function that ends the collection and returns the errors
 */
export function collectEarlyErrors(): () => unknown[] {
  const errors: unknown[] = []
  const record = (event: ErrorEvent | PromiseRejectionEvent) => {
    if (errors.length < maxErrors) errors.push('reason' in event ? event.reason : event.error)
  }
  addEventListener('error', record)
  addEventListener('unhandledrejection', record)
  return () => {
    removeEventListener('error', record)
    removeEventListener('unhandledrejection', record)
    return errors
  }
}
