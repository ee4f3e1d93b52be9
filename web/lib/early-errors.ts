const most = 10

/** Collects the page's first errors until the error reporting has loaded. @returns a function that takes them and ends the collection */
export function collectEarlyErrors(): () => unknown[] {
  const errors: unknown[] = []
  const keep = (event: ErrorEvent | PromiseRejectionEvent) => {
    if (errors.length < most) errors.push('reason' in event ? event.reason : event.error)
  }
  addEventListener('error', keep)
  addEventListener('unhandledrejection', keep)
  return () => {
    removeEventListener('error', keep)
    removeEventListener('unhandledrejection', keep)
    return errors
  }
}
