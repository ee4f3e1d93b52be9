import { useRef, useState, type FormEvent } from 'react'
import { ApiError } from '#web/lib/api.ts'
import { hideError } from '#web/lib/notify.ts'
import { readDraft, deleteDraft, saveDraft } from './draft.ts'
import { useFields } from './use-fields.ts'

/** The code of a rejection without a valid session (contract/errors.ts). */
const sessionExpiredCode = 401

type Texts<Name extends string> = Record<Name, string>

export interface FormOptions<Name extends string> {
  initial: Texts<Name>
  /** Returns the errors by field. */
  validate: (value: Texts<Name>) => Partial<Texts<Name>>
  send: (value: Texts<Name>) => Promise<unknown>
  /** Maps a rejection's field to the form's field, if the names differ. */
  fieldOf?: (field: string) => Name | undefined
  /** The fields that are restored when their owner signs in again after the session has expired. */
  draft?: { owner: string; fields: readonly NoInfer<Name>[] }
}

/**
 * A form that is sent once at a time and keeps what was typed. A rejection is shown at the field that it concerns, which is
 * focused, or else above the button. `signInRequired` is true if the session has expired.
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
  /** Sends the form; as an event handler or from code. */
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    // Two presses within one frame arrive before the button is disabled.
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
    /** A rejection that concerns no single field. */
    formError: serverError && !serverError.field ? serverError.message : '',
    sessionExpired: serverError?.code === sessionExpiredCode,
    field: (name: Name) => ({
      ...fields.field(name),
      refusal: serverError?.field === name ? serverError.message : '',
    }),
  }
}
