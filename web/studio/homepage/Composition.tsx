import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { showHomepage } from '#contract/studio/homepage.ts'
import { call } from '#web/lib/api.ts'
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { Composer } from './Composer.tsx'
import type { PreviewSize } from './Preview.tsx'
import styles from './homepage.module.css'

/** The homepage, composed by hand beside a live preview. */
export function Composition() {
  // Stored here, because saving the homepage remounts the composer.
  const [size, setSize] = useState<PreviewSize>('phone')
  const composed = useQuery({
    queryKey: ['homepage-desk'],
    queryFn: ({ signal }) => call(showHomepage, { signal }),
    // What is being composed must not change under the operator's hands.
    staleTime: Infinity,
  })
  return (
    <>
      {composed.isError && <CouldNotLoad onRetry={() => void composed.refetch()} />}
      {composed.isPending && <div className={styles.wait} aria-busy="true" />}
      {composed.data && (
        <Composer key={composed.data.version} composed={composed.data} size={size} onSize={setSize} />
      )}
    </>
  )
}
