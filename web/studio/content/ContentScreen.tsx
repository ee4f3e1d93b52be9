import { Route, Routes } from 'react-router'
import { NotFound } from '#web/studio/NotFound.tsx'
import { LabelsPage } from './LabelsPage.tsx'
import { VideoList } from './VideoList.tsx'
import { VideoPage } from './VideoPage.tsx'

/** The videos: all of them, one with everything that can be done to it, and the names of what tells them apart. */
export function Component() {
  return (
    <Routes>
      <Route index element={<VideoList />} />
      <Route path="names" element={<LabelsPage />} />
      <Route path=":id" element={<VideoPage />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  )
}
