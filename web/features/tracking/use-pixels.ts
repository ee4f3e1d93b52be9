import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLocation } from 'react-router'
import type { User } from '#contract/members.ts'
import { storedUser, userQuery } from '#web/features/members/queries.ts'
import { consentAnswer } from '#web/lib/tracking/consent.ts'
import { paths } from '#web/lib/paths.ts'
import { onTrackedEvent, track } from '#web/lib/tracking/track.ts'
import { arePixelsLoaded, sendToPixels, type ConfiguredPixel } from './pixels/pixels.ts'

/** Pages whose URL or fields contain secrets. Pixels are not loaded there and receive no events from there. */
const secretPaths: readonly string[] = [paths.signIn.pattern, paths.retrievePassword.pattern]

/** Sends events to the pixels while the user consents. */
export function usePixels(pixels: readonly ConfiguredPixel[], agreed: boolean): void {
  const { pathname } = useLocation()
  const isAllowedHere = !secretPaths.includes(pathname)
  const active = agreed && pixels.length > 0 && (isAllowedHere || arePixelsLoaded())
  useRegistration()
  // Runs before the listener is registered, so that the page view is sent before other events of the page.
  useEffect(() => {
    if (active && isAllowedHere) sendToPixels(pixels, { name: 'PageView' })
  }, [active, isAllowedHere, pixels, pathname])
  useEffect(() => {
    if (!active) return
    // Checked for each event, because consent may have been withdrawn in another tab.
    return onTrackedEvent((event) => consentAnswer() && sendToPixels(pixels, event))
  }, [active, pixels])
}

let previousUser = storedUser

/**
 * Reports a registration when a guest becomes a member; the user's id stays the same. After a visit to a social
 * provider, the user is already a member when this hook mounts. The hook therefore first compares the user with
 * `storedUser`, which is still the guest.
 */
function useRegistration(): void {
  const { data: user } = useQuery(userQuery)
  useEffect(() => {
    if (user && hasRegistered(previousUser, user)) track({ name: 'CompleteRegistration', eventId: user.id })
    previousUser = user
  }, [user])
}

const hasRegistered = (before: User | undefined, now: User) =>
  before?.id === now.id && before.role === 'visitor' && now.role === 'member'
