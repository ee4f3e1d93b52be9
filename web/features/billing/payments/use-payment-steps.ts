import { useState } from 'react'
import type { Translate } from '#web/i18n/index.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { RequestError, ApiError } from '#web/lib/api.ts'
import { isRateLimited } from './pay.ts'

/** The state of a form with card fields. */
export type Step<T> =
  | { at: 'form' }
  | { at: 'working' }
  | { at: 'bank'; result: T; url: string }
  | { at: 'done'; result: T }

export interface Problem {
  field?: string | undefined
  message: string
}

/** The messages for an unknown outcome (`unsure`) and for an error (`failed`). */
interface Messages {
  unsure: string
  failed: string
}

/** Manages the steps of a form with card fields. After a refusal, the user can try again. */
export function usePaymentSteps<T>({ unsure, failed }: Messages) {
  const { t } = useTranslation()
  const [step, setStep] = useState<Step<T>>({ at: 'form' })
  const [problem, setProblem] = useState<Problem | null>(null)

  const showProblem = (message: string, field?: string) => {
    setProblem({ message, field })
    setStep({ at: 'form' })
  }
  /**
   * Runs `work` and passes its result to `onResult`. A null result means that a field was marked as invalid.
   * @param onRejected called with an error response before it is shown
   */
  const attempt = async (
    work: () => Promise<T | null>,
    onResult: (made: T) => void,
    onRejected?: (error: ApiError) => void,
  ) => {
    setProblem(null)
    setStep({ at: 'working' })
    try {
      const made = await work()
      if (made) onResult(made)
      else setStep({ at: 'form' })
    } catch (error) {
      if (isRateLimited(error)) return showProblem(waitText(t, error))
      // Without a response, the payment may have succeeded.
      if (error instanceof RequestError) return showProblem(unsure)
      if (!(error instanceof ApiError)) return showProblem(failed)
      onRejected?.(error)
      showProblem(error.message || failed, error.field)
    }
  }
  return { step, problem, setStep, refuse: showProblem, attempt }
}

/** Describes how long the user must wait after too many attempts, in whole minutes, rounded up. */
export function waitText(t: Translate, { retryAfter = 60 }: { retryAfter?: number | undefined }): string {
  return t('order.tooManyAttempts', { count: Math.ceil(retryAfter / 60) })
}
