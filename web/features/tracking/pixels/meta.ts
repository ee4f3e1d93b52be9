import type { TrackedEvent } from '#web/lib/tracking/track.ts'
import { loadScript, valueOf, type PixelKind } from './pixel.ts'

type Command = (...parts: unknown[]) => void
interface Queue extends Command {
  queue: unknown[][]
  callMethod?: Command
  push: Command
  loaded: boolean
  version: string
  disablePushState: boolean
}

/** The Meta pixel. Commands are queued until Meta's script has loaded. */
export const meta: PixelKind = {
  name: 'Meta',
  cookies: ['_fbp', '_fbc'],
  load(id) {
    const command: Command = (...parts) => (fbq.callMethod ? fbq.callMethod(...parts) : fbq.queue.push(parts))
    const fbq: Queue = Object.assign(command, {
      queue: [],
      push: command,
      loaded: true,
      version: '2.0',
      // The site reports page views itself, and only for pages without secrets.
      disablePushState: true,
    })
    Object.assign(window, { fbq, _fbq: fbq })
    // Disables events that Meta would derive from the labels of buttons and from the page's text.
    fbq('set', 'autoConfig', false, id)
    fbq('init', id)
    loadScript('https://connect.facebook.net/en_US/fbevents.js')
    return { send: (event) => fbq('trackSingle', id, event.name, fieldsOf(event), idOf(event)) }
  },
}

function fieldsOf(event: TrackedEvent) {
  const { contentId, searchTerm } = event
  return {
    ...valueOf(event),
    ...(contentId ? { content_ids: [contentId], content_type: 'product' } : {}),
    ...(searchTerm ? { search_string: searchTerm } : {}),
  }
}

const idOf = ({ eventId }: TrackedEvent) => (eventId ? { eventID: eventId } : {})
