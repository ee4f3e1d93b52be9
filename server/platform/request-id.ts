import { AsyncLocalStorage } from 'node:async_hooks'

const storage = new AsyncLocalStorage<string>()

/** Runs code, and everything that it starts, as part of the request with this id. */
export function runInRequest<T>(id: string, run: () => T): T {
  return storage.run(id, run)
}

/** Returns the id of the request that the current code belongs to; undefined outside of requests. */
export function currentRequestId(): string | undefined {
  return storage.getStore()
}

/**
 * Binds a function to the request that it is bound in, or to none. A timer or listener that one request starts, but
 * that also works for later requests, should be bound outside of requests, so that its log lines have no request id.
 */
export const bindToCaller = AsyncLocalStorage.bind
