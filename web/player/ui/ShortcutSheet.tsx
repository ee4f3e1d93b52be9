import { useTranslation } from '#web/i18n/use-translation.ts'
import { Sheet } from '#web/ui/Sheet.tsx'
import { shortcuts } from '#web/player/hooks/shortcuts.ts'
import styles from './settings-sheet.module.css'

const keySymbols: Record<string, string> = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓' }

export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const labelOf = (key: string) => (key === ' ' ? t('player.space') : (keySymbols[key] ?? key.toUpperCase()))
  return (
    <Sheet title={t('player.shortcuts')} onClose={onClose}>
      <table className={styles.table}>
        <tbody>
          {shortcuts.map(({ keys, label }) => (
            <tr key={label}>
              <th scope="row">{t(`player.${label}`)}</th>
              <td>
                {keys.map((key) => (
                  <kbd key={key}>{labelOf(key)}</kbd>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Sheet>
  )
}
