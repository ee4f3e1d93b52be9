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
 * Binds a function to the code that binds it. A timer or listener that a request starts, and that works for later
 * requests too, is bound outside of requests, because its log lines belong to none.
 */
export const bindToCaller = AsyncLocalStorage.bind
