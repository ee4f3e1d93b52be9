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
 * Binds a function to the current request, or to none if called outside of requests. Call it outside of requests for a
 * timer or listener that serves several requests. Otherwise its log lines have the id of the request that started it.
 */
export const bindToCaller = AsyncLocalStorage.bind
