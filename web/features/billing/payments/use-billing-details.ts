import { useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { useFields } from '#web/ui/forms/use-fields.ts'
import { invalidFields, type BillingDetails } from './billing-details.ts'
import { rememberedPayer } from './remembered-payer.ts'

/** Manages the billing details of a form. Validates only the requested fields. */
export function useBillingDetails(requestedFields: readonly (keyof BillingDetails)[]) {
  const { t } = useTranslation()
  const messages = {
    email: t('order.emailInvalid'),
    first: t('order.firstNameInvalid'),
    last: t('order.lastNameInvalid'),
  }
  const [initial] = useState<Record<keyof BillingDetails, string>>(rememberedPayer)
  return useFields(initial, (details) => {
    const bad = invalidFields(details).filter((name) => requestedFields.includes(name))
    return Object.fromEntries(bad.map((name) => [name, messages[name]]))
  })
}
