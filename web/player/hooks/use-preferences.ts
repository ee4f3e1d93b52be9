import { useSyncExternalStore } from 'react'
import { preferences, type Preferences } from '#web/player/engine/preferences.ts'

export function usePreferences(): Preferences {
  return useSyncExternalStore(preferences.subscribe, preferences.get)
}
