import { useTranslation } from '#web/i18n/use-translation.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { copyText, shareTargets } from './share.ts'
import styles from './share-sheet.module.css'

interface ShareSheetProps {
  title: string
  url: string
  onClose: () => void
}

export function ShareSheet({ title, url, onClose }: ShareSheetProps) {
  const { t } = useTranslation()
  return (
    <Sheet title={t('video.share')} onClose={onClose}>
      <div className={styles.link}>
        <input readOnly value={url} aria-label={t('video.link')} onFocus={(event) => event.target.select()} />
        <Button onClick={() => void copyText(url)}>{t('video.copy')}</Button>
      </div>
      <ul className={styles.targets}>
        {shareTargets(title, url).map(({ name, href }) => (
          <li key={name}>
            <a className={buttonClass('quiet', true)} href={href} rel="noopener" target="_top">
              {name}
            </a>
          </li>
        ))}
      </ul>
    </Sheet>
  )
}
