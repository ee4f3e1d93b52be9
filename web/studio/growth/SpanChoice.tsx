import { useTexts } from '#web/studio/texts.ts'
import { Choice } from '#web/studio/ui/Choice.tsx'

const spans = [7, 30, 92]

/** How many days back, today included. */
export function SpanChoice({ days, onChoose }: { days: number; onChoose: (days: number) => void }) {
  const { t } = useTexts()
  return (
    <Choice
      label={t('growth.span')}
      value={String(days)}
      options={spans.map((span) => ({ value: String(span), label: t('growth.days', { count: span }) }))}
      onChoose={(value) => onChoose(Number(value))}
    />
  )
}
