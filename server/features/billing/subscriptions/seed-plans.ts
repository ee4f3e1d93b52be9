import type { LocalizedText } from '#contract/languages.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db } from '#server/tables.ts'
import { insertFirstPlans } from '#server/features/billing/records/product-queries.ts'

interface DemoPlan {
  names: LocalizedText
  descriptions: LocalizedText
  price_cents: number
  intro_price_cents: number | null
  period_days: number
  highlight: boolean
}

const demoPlans: DemoPlan[] = [
  {
    names: { en: 'Weekly', es: 'Semanal', fy: 'Hebdomadaire', dy: 'Wöchentlich', pt: 'Semanal' },
    descriptions: {
      en: 'Every episode, a week at a time.',
      es: 'Todos los episodios, semana a semana.',
      fy: 'Tous les épisodes, une semaine à la fois.',
      dy: 'Alle Folgen, Woche für Woche.',
      pt: 'Todos os episódios, uma semana de cada vez.',
    },
    price_cents: 999,
    intro_price_cents: 499,
    period_days: 7,
    highlight: false,
  },
  {
    names: { en: 'Monthly', es: 'Mensual', fy: 'Mensuel', dy: 'Monatlich', pt: 'Mensal' },
    descriptions: {
      en: 'Every episode, for 30 days at a time.',
      es: 'Todos los episodios, cada 30 días.',
      fy: 'Tous les épisodes, par périodes de 30 jours.',
      dy: 'Alle Folgen, jeweils für 30 Tage.',
      pt: 'Todos os episódios, a cada 30 dias.',
    },
    price_cents: 2499,
    intro_price_cents: null,
    period_days: 30,
    highlight: true,
  },
  {
    names: { en: 'Yearly', es: 'Anual', fy: 'Annuel', dy: 'Jährlich', pt: 'Anual' },
    descriptions: {
      en: 'Every episode, for a whole year.',
      es: 'Todos los episodios, durante un año entero.',
      fy: 'Tous les épisodes, pendant toute une année.',
      dy: 'Alle Folgen, ein ganzes Jahr lang.',
      pt: 'Todos os episódios, durante um ano inteiro.',
    },
    price_cents: 14_999,
    intro_price_cents: null,
    period_days: 365,
    highlight: false,
  },
]

/** Puts the demo plans on sale if there has never been a plan. */
export async function seedPlans(db: Db): Promise<void> {
  const rows = demoPlans.map(({ names, descriptions, ...plan }, position) => ({
    id: newId('plan'),
    names: JSON.stringify(names),
    descriptions: JSON.stringify(descriptions),
    currency: 'USD',
    position,
    ...plan,
  }))
  await inTransaction(db, (tx) => insertFirstPlans(tx, rows))
}
