import '#web/i18n/account.ts'
import { Favorites } from '#web/features/library/Favorites.tsx'

export function Component() {
  return <Favorites />
}
