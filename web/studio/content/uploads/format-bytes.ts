import { bcp47Tags } from '#contract/languages.ts'
import { currentLanguage } from '#web/lib/language.ts'

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** Formats a size in bytes: "12 MB". */
export function formatBytes(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** power
  const options = {
    style: 'unit',
    unit: units[power] ?? 'byte',
    maximumFractionDigits: value < 10 ? 1 : 0,
  } as const
  return new Intl.NumberFormat(bcp47Tags[currentLanguage()], options).format(value)
}
