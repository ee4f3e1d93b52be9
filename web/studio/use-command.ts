import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { BodyOf, ResultOf } from '#contract/endpoint.ts'
import type { CommandEndpoint } from '#contract/studio/command.ts'
import { call, CallRejected } from '#web/lib/api.ts'
import { forgetProblem, notify, notifyProblem } from '#web/lib/notify.ts'
import { isSignedOut, shown } from './queries.ts'

/**
 * Gives a command that changes something, once at a time; afterwards everything on screen is asked for anew. A toast shows
 * `done` once it is done, or why it was refused; the answer is undefined then.
 * @param done null if the caller confirms it in words of its own, or where the change is what the operator looks at
 */
export function useCommand<E extends CommandEndpoint>(
  command: E,
  done: string | null,
): { run: (body: BodyOf<E>) => Promise<ResultOf<E> | undefined>; busy: boolean } {
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const run = async (body: BodyOf<E>) => {
    setBusy(true)
    forgetProblem()
    try {
      const result = await call(command, { body })
      void queryClient.invalidateQueries(shown)
      if (done !== null) notify(done)
      return result
    } catch (error) {
      // The call itself has told of a failure, and of code 500; where the session has ended, the sign-in is there.
      if (error instanceof CallRejected && error.code !== 500 && !isSignedOut(error))
        notifyProblem(error.message)
      return undefined
    } finally {
      setBusy(false)
    }
  }
  return { run, busy }
}
