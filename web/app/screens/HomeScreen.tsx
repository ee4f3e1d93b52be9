import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { HomeSkeleton } from '#web/features/catalog/HomeSkeleton.tsx'
import { homepageQuery } from '#web/features/catalog/queries.ts'
import { HomeSection } from '#web/features/catalog/Section.tsx'
import { ContinueWatching } from '#web/features/library/ContinueWatching.tsx'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { settings } from '#web/lib/settings.ts'
import { LoadError } from '#web/ui/LoadError.tsx'

export function Component() {
  const { t } = useTranslation()
  const { data, isError, refetch } = useQuery(homepageQuery)
  const retry = () => void refetch()
  if (!data) return isError ? <LoadError onRetry={retry} /> : <HomeSkeleton />
  const featured = data.homepage.findIndex(({ kind }) => kind === 'carousel')
  return (
    <>
      <h1 className="hidden-text">{settings.site}</h1>
      {featured < 0 && <ContinueWatching />}
      {data.homepage.map((section, i) => (
        <Fragment key={section.id}>
          <HomeSection section={section} first={i === 0} />
          {i === featured && <ContinueWatching />}
        </Fragment>
      ))}
      {data.homepage.length === 0 && <LoadError text={t('list.empty')} onRetry={retry} />}
    </>
  )
}
