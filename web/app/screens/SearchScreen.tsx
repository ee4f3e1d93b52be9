import '#web/i18n/search.ts'
import { Search } from '#web/features/catalog/Search.tsx'

export function Component() {
  return <Search />
}
