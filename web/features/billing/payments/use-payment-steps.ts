import { useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { CallFailed, CallRejected } from '#web/lib/api.ts'
import { isRateLimited } from './pay.ts'
import { waitText } from './price-copy.ts'

/** Where a form stands that a card is given in. */
export type Step<T> =
  | { at: 'form' }
  | { at: 'working' }
  | { at: 'bank'; made: T; url: string }
  | { at: 'done'; made: T }

export interface Problem {
  field?: string | undefined
  message: string
}

/** What is said where nobody can say how it went, and where it did not go well. */
interface Messages {
  unsure: string
  failed: string
}

/** The steps of such a form. After a refusal it can be tried again. */
export function usePaymentSteps<T>({ unsure, failed }: Messages) {
  const { t } = useTranslation()
  const [step, setStep] = useState<Step<T>>({ at: 'form' })
  const [problem, setProblem] = useState<Problem | null>(null)

  const refuse = (message: string, field?: string) => {
    setProblem({ message, field })
    setStep({ at: 'form' })
  }
  /**
   * Does some work and goes on with what it made; null where a field was marked that is to be mended.
   * @param onRejected told of a refusal before it is shown
   */
  const attempt = async (
    work: () => Promise<T | null>,
    goOn: (made: T) => void,
    onRejected?: (error: CallRejected) => void,
  ) => {
    setProblem(null)
    setStep({ at: 'working' })
    try {
      const made = await work()
      if (made) goOn(made)
      else setStep({ at: 'form' })
    } catch (error) {
      if (isRateLimited(error)) return refuse(waitText(t, error))
      // Without an answer nobody knows yet how it went.
      if (error instanceof CallFailed) return refuse(unsure)
      if (!(error instanceof CallRejected)) return refuse(failed)
      onRejected?.(error)
      refuse(error.message || failed, error.field)
    }
  }
  return { step, problem, setStep, refuse, attempt }
}
