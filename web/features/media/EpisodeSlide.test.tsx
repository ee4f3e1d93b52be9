import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it, vi } from 'vitest'
import type { Episode } from '#contract/media.ts'
import { EpisodeSlide } from './EpisodeSlide.tsx'
import { playbackQuery, type EpisodePlayback } from './queries.ts'

vi.hoisted(() => {
  vi.stubGlobal('location', { search: '?lang=de' })
  vi.stubGlobal('addEventListener', () => {})
  vi.stubGlobal('document', { documentElement: {}, getElementById: () => null })
})

const noop = () => {}
const episode: Episode = {
  id: 'epi_1',
  number: 1,
  title: '',
  duration_ms: null,
  ready: false,
  thumb_url: null,
  state: 'free',
  price_cents: 0,
}
const page = {
  active: true,
  title: '',
  startMs: 0,
  rail: null,
  back: null,
  onDoubleTap: noop,
  onEnded: noop,
  onState: noop,
}
const tools = {
  register: noop,
  onNext: null,
  onPrevious: null,
  onShortcuts: noop,
  restoreFocus: noop,
  whenScrollEnds: () => noop,
}

it("shows the progress of an episode's conversion in the viewer's language, with a non-breaking space", () => {
  const client = new QueryClient()
  const making: EpisodePlayback = { kind: 'making', progress: 33 }
  client.setQueryData(playbackQuery(episode.id).queryKey, making)
  const slide = renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <EpisodeSlide
        {...page}
        episode={episode}
        tools={tools}
        deferLoading={false}
        onLocked={noop}
        onReady={noop}
        renderLocked={() => null}
      />
    </QueryClientProvider>,
  )
  expect(slide).toContain('<p>33\u00a0%</p>')
})
