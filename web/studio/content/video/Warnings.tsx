import type { VideoWarning } from '#contract/studio/video-warnings.ts'
import { useTexts } from '#web/studio/texts.ts'
import styles from '#web/studio/content/content.module.css'

/** The warnings that an operator should check before viewers see the video. */
export function Warnings({ warnings }: { warnings: readonly VideoWarning[] }) {
  const { t } = useTexts()
  return (
    <div role="status">
      {warnings.map((warning) => (
        <p key={warning} className={styles.lacks}>
          {t(`content.warning.${warning}`)}
        </p>
      ))}
    </div>
  )
}
