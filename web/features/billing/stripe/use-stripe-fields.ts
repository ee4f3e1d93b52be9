import { useEffect, useRef, useState } from 'react'
import { htmlLanguage } from '#contract/languages.ts'
import type { CardEntry } from '#web/features/billing/payments/card-entry.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { currentLanguage } from '#web/lib/language.ts'
import { mountFields, untouched, type MountedFields } from './mount-fields.ts'
import { openStripe } from './open-stripe.ts'
import { stripeGiver } from './give-to-stripe.ts'
import type { FieldKind, StripeScript } from './stripe-script.ts'

type Places = Partial<Record<FieldKind, HTMLElement | null>>

/** Mounts Stripe's fields and returns their visual states. A failed load can be retried. */
export function useStripeFields(onEntry: (entry: CardEntry | null) => void) {
  const { t } = useTranslation()
  const places = useRef<Places>({})
  const [looks, setLooks] = useState(untouched)
  const [failed, setFailed] = useState(false)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let left = false
    const show = (stripe: StripeScript) => {
      if (left) return
      const fields = mountFields(stripe, {
        placeOf: (kind) => placeIn(places.current, kind),
        placeholders: {
          cardNumber: '1234 1234 1234 1234',
          cardExpiry: t('order.expiryForm'),
          cardCvc: '123',
        },
        locale: htmlLanguage[currentLanguage()],
        show: setLooks,
      })
      onEntry(entryOf(stripe, fields))
    }
    openStripe()
      .then(show)
      .catch(() => left || setFailed(true))
    return () => {
      // The frames are removed with their places.
      left = true
      onEntry(null)
    }
  }, [t, tries, onEntry])
  return {
    looks,
    failed,
    setPlace(kind: FieldKind, place: HTMLElement | null) {
      places.current[kind] = place
    },
    retry() {
      setLooks(untouched)
      setFailed(false)
      setTries(tries + 1)
    },
  }
}

function placeIn(places: Places, kind: FieldKind): HTMLElement {
  const place = places[kind]
  if (!place) throw new Error(`there is no place for ${kind}`)
  return place
}

function entryOf(stripe: StripeScript, fields: MountedFields): CardEntry {
  return {
    check(goThere) {
      const first = fields.check()
      if (first && goThere) fields.focus(first)
      return !first
    },
    give: stripeGiver(stripe, fields),
  }
}
