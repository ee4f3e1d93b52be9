import { useRef, useState, type FormEvent } from 'react'
import { ApiError } from '#web/lib/api.ts'
import { hideError } from '#web/lib/notify.ts'
import { readDraft, deleteDraft, saveDraft } from './draft.ts'
import { useFields } from './use-fields.ts'

/** The error code for a call without a valid session (contract/errors.ts). */
const sessionExpiredCode = 401

type Texts<Name extends string> = Record<Name, string>

export interface FormOptions<Name extends string> {
  initial: Texts<Name>
  /** Returns the errors by field. */
  validate: (value: Texts<Name>) => Partial<Texts<Name>>
  send: (value: Texts<Name>) => Promise<unknown>
  /** Maps the field named by a server error to the form's field, if the names differ. */
  fieldOf?: (field: string) => Name | undefined
  /** The fields that are stored when the session has expired, and restored when their owner signs in again. */
  draft?: { owner: string; fields: readonly NoInfer<Name>[] }
}

/**
 * Manages a form that sends one request at a time and keeps the typed values. A server error is shown at its field,
 * which is focused, else above the button. `sessionExpired` is true if the session has expired.
 */
export function useForm<Name extends string>({ initial, validate, send, fieldOf, draft }: FormOptions<Name>) {
  const [first] = useState(() => ({ ...initial, ...(draft && readDraft(draft.owner, draft.fields)) }))
  const fields = useFields(first, validate)
  const [busy, setBusy] = useState(false)
  const sending = useRef(false)
  const [serverError, setServerError] = useState<{
    field: Name | undefined
    message: string
    code: number
  } | null>(null)
  const isFieldName = (field: string): field is Name => field in initial
  const formFieldOf = (field: string) => fieldOf?.(field) ?? (isFieldName(field) ? field : undefined)

  const showServerError = (error: ApiError) => {
    const field = error.field === undefined ? undefined : formFieldOf(error.field)
    setServerError({ field, message: error.message, code: error.code })
    if (field) fields.focus(field)
    if (error.code === sessionExpiredCode && draft) {
      const typed = draft.fields.map((name) => [name, fields.value[name]])
      saveDraft({ owner: draft.owner, value: Object.fromEntries(typed) })
    }
  }
  /** Sends the form. May be used as an event handler or called directly. */
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    // Two presses within one frame both arrive before the button is disabled.
    if (sending.current || !fields.showErrors()) return
    sending.current = true
    setBusy(true)
    setServerError(null)
    hideError()
    send(fields.value)
      .then(() => draft && deleteDraft())
      .catch((error: unknown) => {
        if (error instanceof ApiError) showServerError(error)
      })
      .finally(() => {
        sending.current = false
        setBusy(false)
      })
  }
  return {
    ...fields,
    busy,
    submit,
    /** A server error that refers to no single field. */
    formError: serverError && !serverError.field ? serverError.message : '',
    sessionExpired: serverError?.code === sessionExpiredCode,
    field: (name: Name) => ({
      ...fields.field(name),
      refusal: serverError?.field === name ? serverError.message : '',
    }),
  }
}
