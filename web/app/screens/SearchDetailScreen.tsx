import '#web/i18n/search.ts'
import { useEffect } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { useParams } from 'react-router'
import { track } from '#web/lib/tracking/track.ts'
import { Listing } from '#web/features/catalog/Listing.tsx'
import { Component as NotFound } from './NotFoundScreen.tsx'

/** The search results. The route's `id` is the id of a tag or the search words. */
export function Component() {
  const { t } = useTranslation()
  const { id = '' } = useParams()
  const searchTerm = id.startsWith('tag_') ? '' : id
  useEffect(() => {
    if (searchTerm) track({ name: 'Search', searchTerm })
  }, [searchTerm])
  if (!searchTerm) return <Listing key={id} listing={{ tag: id }} notFound={<NotFound />} />
  return (
    <Listing
      key={id}
      listing={{ keyword: searchTerm }}
      title={t('list.results', { searchTerm })}
      notFound={<NotFound />}
    />
  )
}
