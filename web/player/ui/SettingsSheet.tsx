import { useTranslation } from '#web/i18n/use-translation.ts'
import { formatDecimal } from '#web/lib/format.ts'
import { Button } from '#web/ui/Button.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { preferences } from '#web/player/engine/preferences.ts'
import { usePreferences } from '#web/player/hooks/use-preferences.ts'
import type { ChosenCaption } from '#web/player/hooks/use-chosen-caption.ts'
import styles from './settings-sheet.module.css'

/** Whether to show the link to the keyboard shortcuts: a device with a mouse or touchpad usually has a keyboard too. */
const hasKeyboard = matchMedia('(any-hover: hover)').matches
const speeds = [0.75, 1, 1.25, 1.5, 1.75, 2]

interface SettingsSheetProps {
  renditions: number[]
  captions: ChosenCaption
  video: HTMLVideoElement | null
  onShortcuts: () => void
  onClose: () => void
}

/** Playback speed, quality, captions and picture-in-picture, with a link to the keyboard shortcuts. */
export function SettingsSheet({ renditions, captions, video, onShortcuts, onClose }: SettingsSheetProps) {
  const { t } = useTranslation()
  const { rate, quality } = usePreferences()
  const supportsPictureInPicture = document.pictureInPictureEnabled
  return (
    <Sheet title={t('player.settings')} onClose={onClose}>
      <RadioChoices
        title={t('player.speed')}
        chosen={rate}
        options={speeds.map((speed) => [
          speed,
          speed === 1 ? t('player.normal') : `${formatDecimal(speed)}×`,
        ])}
        onChoose={(speed) => preferences.set({ rate: speed })}
      />
      {renditions.length > 0 && (
        <RadioChoices
          title={t('player.quality')}
          chosen={quality}
          options={[
            [null, t('player.auto')],
            ...renditions.map((side): [number, string] => [side, `${side}p`]),
          ]}
          onChoose={(side) => preferences.set({ quality: side })}
        />
      )}
      {captions.all.length > 0 && (
        <RadioChoices
          title={t('player.captions')}
          chosen={captions.shown?.lang ?? null}
          options={[
            [null, t('player.off')],
            ...captions.all.map(({ lang, label }): [string, string] => [lang, label]),
          ]}
          onChoose={(lang) => preferences.set({ captions: lang })}
        />
      )}
      <div className={styles.actions}>
        {supportsPictureInPicture && (
          <Button variant="quiet" onClick={() => void togglePictureInPicture(video).then(onClose)}>
            {t('player.pip')}
          </Button>
        )}
        {hasKeyboard && (
          <Button variant="quiet" onClick={onShortcuts}>
            {t('player.shortcuts')}
          </Button>
        )}
      </div>
    </Sheet>
  )
}

async function togglePictureInPicture(video: HTMLVideoElement | null): Promise<void> {
  if (document.pictureInPictureElement) await document.exitPictureInPicture().catch(() => {})
  else await video?.requestPictureInPicture().catch(() => {})
}

interface RadioChoicesProps<V> {
  title: string
  chosen: V
  options: [V, string][]
  onChoose: (value: V) => void
}

function RadioChoices<V extends string | number | null>({
  title,
  chosen,
  options,
  onChoose,
}: RadioChoicesProps<V>) {
  return (
    <fieldset className={styles.choices}>
      <legend>{title}</legend>
      {options.map(([value, name]) => (
        <label key={name} className={styles.choice}>
          <input type="radio" name={title} checked={value === chosen} onChange={() => onChoose(value)} />
          {name}
        </label>
      ))}
    </fieldset>
  )
}
