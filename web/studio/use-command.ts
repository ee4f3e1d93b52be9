import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { BodyOf, ResultOf } from '#contract/endpoint.ts'
import type { CommandEndpoint } from '#contract/studio/command.ts'
import { call, ApiError, notifyRejection } from '#web/lib/api.ts'
import { hideError, notify } from '#web/lib/notify.ts'
import { isSignedOut, allButSession } from './session-queries.ts'

/**
 * Returns a function that runs a command and, if it succeeds, refetches all data on screen. A toast shows
 * `successMessage` or, if the command fails, the reason; the result is then undefined.
 * @param successMessage null if the caller shows a message, or if the change is visible on screen
 * @param handleError handles some errors itself; no toast is shown if it returns true
 */
export function useCommand<E extends CommandEndpoint>(
  command: E,
  successMessage: string | null,
  handleError?: (error: unknown) => Promise<boolean>,
): { run: (body: BodyOf<E>) => Promise<ResultOf<E> | undefined>; busy: boolean } {
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const run = async (body: BodyOf<E>) => {
    setBusy(true)
    hideError()
    try {
      const result = await call(command, { body })
      void queryClient.invalidateQueries(allButSession)
      if (successMessage !== null) notify(successMessage)
      return result
    } catch (error) {
      if (await handleError?.(error)) return undefined
      // `call` itself reports failed calls. If the session has expired, the sign-in appears.
      if (error instanceof ApiError && !isSignedOut(error)) notifyRejection(error)
      return undefined
    } finally {
      setBusy(false)
    }
  }
  return { run, busy }
}
