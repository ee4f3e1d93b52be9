import { useNavigate } from 'react-router'
import { paths } from '#web/lib/paths.ts'
import { addSearch } from './search-history.ts'

/** Returns a function that adds words to the recent searches and opens their results. */
export function useSearch(): (words: string) => void {
  const navigate = useNavigate()
  return (words) => {
    addSearch(words)
    void navigate(paths.searchDetail.to(words))
  }
}
