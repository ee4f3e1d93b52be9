import { useLocation } from 'react-router'
import '#web/i18n/pages.ts'
import { ContactPage } from '#web/features/pages/ContactPage.tsx'
import { TextPage } from '#web/features/pages/TextPage.tsx'
import { paths } from '#web/lib/paths.ts'

/** Shows a page text. The route's path is the text's name. */
export function Component() {
  const { pathname } = useLocation()
  if (pathname === paths.contactUs.pattern) return <ContactPage />
  return <TextPage key={pathname} name={pathname.slice(1)} />
}
