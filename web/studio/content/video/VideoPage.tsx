import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { editVideo, type StudioVideo, type StudioVideoPage } from '#contract/studio/videos.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { NotFound } from '#web/studio/NotFound.tsx'
import { isNotFoundOrForbidden, usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { PageLink, SiteLink } from '#web/studio/ui/PageLink.tsx'
import { localizedName, formatTime } from '#web/studio/format.ts'
import { FileDropZone } from '#web/studio/content/import/FileDropZone.tsx'
import { Cover } from './Cover.tsx'
import { DetailsForm } from './DetailsForm.tsx'
import { Episodes } from './Episodes.tsx'
import { VideoPreview } from './VideoPreview.tsx'
import { episodesQuery, videoQuery } from '#web/studio/content/queries.ts'
import { Warnings } from './Warnings.tsx'
import { StateActions } from './StateActions.tsx'
import { TextsForm } from './TextsForm.tsx'
import styles from '#web/studio/content/content.module.css'

/** The page of a video: episodes and uploads, cover, texts, details and preview. */
export function VideoPage() {
  const { t } = useTexts()
  const { id = '' } = useParams()
  const video = useQuery(videoQuery(id))
  if (isNotFoundOrForbidden(video.error)) return <NotFound />
  // Only a failed first load shows an error. After a failed refetch the page stays, so that no typed text is lost.
  if (video.isLoadingError) return <LoadError onRetry={() => void video.refetch()} />
  if (!video.data) return <div className={styles.waitPage} aria-busy="true" aria-label={t('shell.loading')} />
  return <VideoDetails key={id} video={video.data} />
}

function VideoDetails({ video }: { video: StudioVideoPage }) {
  const { t, language } = useTexts()
  const mayEdit = usePermissions()(editVideo)
  return (
    <Page
      title={localizedName(video.titles, language)}
      lead={<PublicationStatus video={video} />}
      actions={mayEdit && <StateActions video={video} />}
    >
      <SectionNav
        names={mayEdit ? sections : sections.filter((part) => part !== 'texts' && part !== 'details')}
        leadsToPublish={mayEdit && video.state === 'draft'}
      />
      <Panel id="episodes" title={t('content.episodes')}>
        {mayEdit && <FileDropZone video={video} />}
        <Episodes video={video} />
      </Panel>
      <Panel id="cover" title={t('content.cover')}>
        <Cover video={video} />
      </Panel>
      {mayEdit && (
        <>
          <Panel id="texts" title={t('content.texts')}>
            <TextsForm video={video} />
          </Panel>
          <Panel id="details" title={t('content.details')}>
            <DetailsForm video={video} />
          </Panel>
        </>
      )}
      <Panel id="preview" title={t('content.preview')}>
        <VideoPreview video={video} />
      </Panel>
    </Page>
  )
}

const sections = ['episodes', 'cover', 'texts', 'details', 'preview'] as const

/** Links to the parts of the page. They stay visible while the page scrolls, because a season is long. */
function SectionNav({
  names,
  leadsToPublish,
}: {
  names: readonly (typeof sections)[number][]
  /** Whether to show a link to the publish button, which is at the top and not visible from the preview. */
  leadsToPublish: boolean
}) {
  const { t } = useTexts()
  return (
    <nav aria-label={t('content.onThisPage')} className={styles.parts}>
      {names.map((name) => (
        <Link key={name} to={`#${name}`} replace>
          {t(`content.${name}`)}
        </Link>
      ))}
      {leadsToPublish && (
        <Link to="#main" replace>
          {t('content.goToPublish')}
        </Link>
      )}
    </nav>
  )
}

/** Returns which parts of the video are missing for viewers. */
function missingParts({ episode_count, cover_url, synopses, category }: StudioVideo) {
  return [
    ...(episode_count > 0 ? [] : (['episodes'] as const)),
    ...(cover_url ? [] : (['cover'] as const)),
    ...(synopses.en ? [] : (['synopsis'] as const)),
    ...(category ? [] : (['category'] as const)),
  ]
}

/** The publication state with its date, and a link to the page for viewers if there is one. */
function PublicationStatus({ video }: { video: StudioVideo }) {
  const { t, language } = useTexts()
  const { id, state, released_at } = video
  const lacks = missingParts(video)
  // No polling: the list of episodes on the same page already polls this query.
  const episodes = useQuery({ ...episodesQuery(id, false), refetchInterval: false })
  const time = formatTime(released_at, language)
  const stateTexts = {
    draft: t('content.isDraft'),
    scheduled: released_at ? t('content.isScheduled', { time }) : t('content.isAwaitingEpisode'),
    published: t('content.isPublished', { time }),
    archived: t('content.isArchived'),
  }
  return (
    <span className={styles.status}>
      <PageLink to="/studio/videos">{t('content.allVideos')}</PageLink>
      {state === 'published' && <SiteLink href={`/videos/${id}`}>{t('content.openPage')}</SiteLink>}
      <span>
        <strong>{t(`content.states.${state}`)}</strong> · {stateTexts[state]}
      </span>
      <Warnings warnings={video.warnings} />
      {episodes.data?.list.some(({ notes }) => notes.length > 0) && (
        <span className={styles.lacks}>{t('content.partlyUsedFiles')}</span>
      )}
      {lacks.length > 0 && (
        <span className={styles.lacks}>
          {t('content.missingParts', {
            what: lacks.map((each) => t(`content.missingPart.${each}`)).join(', '),
          })}
        </span>
      )}
    </span>
  )
}
