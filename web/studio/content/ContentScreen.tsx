import { Route, Routes } from 'react-router'
import { NotFound } from '#web/studio/NotFound.tsx'
import { LabelsPage } from './labels/LabelsPage.tsx'
import { VideoList } from './VideoList.tsx'
import { VideoPage } from './video/VideoPage.tsx'

/** The content area: the list of videos, the page of a video, and the page of categories and tags. */
export function Component() {
  return (
    <Routes>
      <Route index element={<VideoList />} />
      <Route path="labels" element={<LabelsPage />} />
      <Route path=":id" element={<VideoPage />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  )
}
