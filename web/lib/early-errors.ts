const most = 10

/** Keeps the first errors of the page until somebody comes who reports them. @returns takes them, and keeps no more */
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
