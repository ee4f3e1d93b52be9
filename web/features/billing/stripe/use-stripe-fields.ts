import { useEffect, useRef, useState } from 'react'
import { bcp47Tags } from '#contract/languages.ts'
import type { CardEntry } from '#web/features/billing/payments/card-entry.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { currentLanguage } from '#web/lib/language.ts'
import { mountFields, untouchedStates, type MountedFields } from './mount-fields.ts'
import { openStripe } from './open-stripe.ts'
import { createCardConfirmer } from './confirm-with-stripe.ts'
import type { FieldKind, StripeScript } from './stripe-script.ts'

type Containers = Partial<Record<FieldKind, HTMLElement | null>>

/** Mounts Stripe's fields and returns their visual states. After a failed load, `retry` loads them again. */
export function useStripeFields(onEntry: (entry: CardEntry | null) => void) {
  const { t } = useTranslation()
  const containers = useRef<Containers>({})
  const [fieldStates, setFieldStates] = useState(untouchedStates)
  const [failed, setFailed] = useState(false)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let isUnmounted = false
    const mountWith = (stripe: StripeScript) => {
      if (isUnmounted) return
      const fields = mountFields(stripe, {
        containerOf: (kind) => containerFor(containers.current, kind),
        placeholders: {
          cardNumber: '1234 1234 1234 1234',
          cardExpiry: t('order.expiryFormat'),
          cardCvc: '123',
        },
        locale: bcp47Tags[currentLanguage()],
        onStates: setFieldStates,
      })
      onEntry(createCardEntry(stripe, fields))
    }
    openStripe()
      .then(mountWith)
      .catch(() => isUnmounted || setFailed(true))
    return () => {
      // Stripe's frames are removed together with their containers.
      isUnmounted = true
      onEntry(null)
    }
  }, [t, tries, onEntry])
  return {
    looks: fieldStates,
    failed,
    setContainer(kind: FieldKind, place: HTMLElement | null) {
      containers.current[kind] = place
    },
    retry() {
      setFieldStates(untouchedStates)
      setFailed(false)
      setTries(tries + 1)
    },
  }
}

function containerFor(places: Containers, kind: FieldKind): HTMLElement {
  const place = places[kind]
  if (!place) throw new Error(`there is no container for Stripe's field ${kind}`)
  return place
}

function createCardEntry(stripe: StripeScript, fields: MountedFields): CardEntry {
  return {
    check(focusFirst) {
      const first = fields.check()
      if (first && focusFirst) fields.focus(first)
      return !first
    },
    submit: createCardConfirmer(stripe, fields),
  }
}
