import { LanguageChoice } from './LanguageChoice.tsx'
import { useTexts } from './texts.ts'
import styles from './studio-shell.module.css'

/** The site's icon and the studio's name, with the language choice, above a page without navigation. */
export function Brand() {
  const { t } = useTexts()
  const icon = document.querySelector<HTMLLinkElement>('link[rel~="icon"]')?.href
  return (
    <div className={styles.brand}>
      {icon && <img src={icon} alt="" width={40} height={40} />}
      {t('shell.studio')}
      <LanguageChoice />
    </div>
  )
}
