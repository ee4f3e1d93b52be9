import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLocation } from 'react-router'
import type { User } from '#contract/members.ts'
import { userAtLoad, userQuery } from '#web/features/members/queries.ts'
import { consentAnswer } from '#web/lib/tracking/consent.ts'
import { paths } from '#web/lib/paths.ts'
import { onTracked, track } from '#web/lib/tracking/track.ts'
import { arePixelsLoaded, sendToPixels, type SetUpPixel } from './pixels/pixels.ts'

/** Screens whose address or fields hold secrets: no pixel is loaded on them, and none is told of them. */
const secretive: readonly string[] = [paths.signIn.pattern, paths.retrievePassword.pattern]

/** Tells the pixels what happens, from the moment the person agrees and for as long as they do. */
export function usePixels(pixels: readonly SetUpPixel[], agreed: boolean): void {
  const { pathname } = useLocation()
  const here = !secretive.includes(pathname)
  const active = agreed && pixels.length > 0 && (here || arePixelsLoaded())
  useRegistration()
  // Before the listener, so that a page is told of before what happens on it.
  useEffect(() => {
    if (active && here) sendToPixels(pixels, { name: 'PageView' })
  }, [active, here, pixels, pathname])
  useEffect(() => {
    if (!active) return
    // Another tab may have taken the consent back.
    return onTracked((event) => consentAnswer() && sendToPixels(pixels, event))
  }, [active, pixels])
}

let before = userAtLoad

/**
 * A guest who becomes a member keeps the id, whichever way they took. Who comes back from a provider is a member already
 * when this is mounted: only the last visit knew the guest.
 */
function useRegistration(): void {
  const { data: user } = useQuery(userQuery)
  useEffect(() => {
    if (user && hasRegistered(before, user)) track({ name: 'CompleteRegistration', eventId: user.id })
    before = user
  }, [user])
}

const hasRegistered = (before: User | undefined, now: User) =>
  before?.id === now.id && before.role === 'visitor' && now.role === 'member'
