import { useQuery } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import type { Section } from '#contract/catalog.ts'
import { HomeSkeleton } from '#web/features/catalog/HomeSkeleton.tsx'
import { homepageQuery } from '#web/features/catalog/queries.ts'
import { HomeSection } from '#web/features/catalog/Section.tsx'
import { ContinueWatching } from '#web/features/library/ContinueWatching.tsx'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { settings } from '#web/lib/settings.ts'
import { LoadError } from '#web/ui/LoadError.tsx'

const pollMs = 3_000

/** Returns whether the site is empty, or episodes of dramas on its homepage are still being converted. */
const isIncomplete = (sections: readonly Section[]) =>
  sections.length === 0 || sections.some(({ items }) => items.some(({ progress }) => progress !== undefined))

export function Component() {
  const { t } = useTranslation()
  // A visitor who found an empty site sees its first dramas appear. All other visitors send no repeated requests.
  const [wasEmpty, setWasEmpty] = useState(false)
  const { data, isError, refetch } = useQuery({
    ...homepageQuery,
    // Stops after a failed request, because each failure shows a message.
    refetchInterval: ({ state }) =>
      wasEmpty && state.status !== 'error' && isIncomplete(state.data?.homepage ?? []) && pollMs,
  })
  const isEmpty = data?.homepage.length === 0
  if (isEmpty && !wasEmpty) setWasEmpty(true)
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
      {isEmpty && <LoadError text={t('list.empty')} onRetry={retry} />}
    </>
  )
}
