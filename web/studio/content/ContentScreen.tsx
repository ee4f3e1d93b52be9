import { Route, Routes } from 'react-router'
import { VideoList } from './VideoList.tsx'
import { VideoPage } from './VideoPage.tsx'

/** The videos: all of them, and one with everything that can be done to it. */
export function Component() {
  return (
    <Routes>
      <Route index element={<VideoList />} />
      <Route path=":id" element={<VideoPage />} />
    </Routes>
  )
}
