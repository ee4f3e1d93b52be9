import { useTranslation } from '#web/i18n/use-translation.ts'
import { useParams } from 'react-router'
import { Listing } from '#web/features/catalog/Listing.tsx'

/** The id is a tag's, or the words that were searched for (product.md, section 7). */
export function Component() {
  const { t } = useTranslation()
  const { id = '' } = useParams()
  if (id.startsWith('tag_')) return <Listing key={id} listing={{ tag: id }} />
  return <Listing key={id} listing={{ keyword: id }} title={t('list.results', { words: id })} />
}
