/** The icons of the navigation, each as one SVG path on a 24×24 grid. Only the studio loads them. */
const shapes = {
  videos:
    'M3 4.5h18v15H3zm2.2 2.2v2h2v-2zm0 4.3v2h2v-2zm0 4.3v2h2v-2zm11.6-8.6v2h2v-2zm0 4.3v2h2v-2zm0 4.3v2h2v-2zM10 8.4v7.2l5.2-3.6z',
  house: 'M12 3 2.5 11h2.8v9.5h5v-6h3.4v6h5V11h2.8z',
  banknote:
    'M2 5.5h20v13H2zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM4.2 7.7v2.2a2.2 2.2 0 0 0 2.2-2.2zm15.6 0h-2.2a2.2 2.2 0 0 0 2.2 2.2zM4.2 16.3h2.2a2.2 2.2 0 0 0-2.2-2.2zm15.6 0v-2.2a2.2 2.2 0 0 0-2.2 2.2z',
  people:
    'M8.5 4a3.7 3.7 0 1 1 0 7.4 3.7 3.7 0 0 1 0-7.4Zm0 9c4 0 7 2 7 4.8v1.7h-14v-1.7C1.5 15 4.5 13 8.5 13Zm8-8.5a3.2 3.2 0 1 1 0 6.4 3.2 3.2 0 0 1-1.5-.4 5.6 5.6 0 0 0 0-5.6 3.2 3.2 0 0 1 1.5-.4Zm.6 8.6c3.1.3 5.4 2 5.4 4.3v2.1h-5v-1.7c0-1.8-.9-3.4-2.4-4.5.6-.1 1.3-.2 2-.2Z',
  calendar: 'M6.5 2.5h2.2v2h6.6v-2h2.2v2H21V21H3V4.5h3.5zM5.2 9.5v9.3h13.6V9.5zm2.3 2.2h3.4v3.4H7.5z',
  chart: 'M4 12h3.6v8H4zM10.2 4h3.6v16h-3.6zM16.4 8.5H20V20h-3.6z',
  flask:
    'M8.5 2.5h7v2.2h-1.2v4.6l5.9 9.6a1.7 1.7 0 0 1-1.5 2.6H5.3a1.7 1.7 0 0 1-1.5-2.6l5.9-9.6V4.7H8.5zm3.4 2.2v5.2l-3.6 5.9h7.4l-3.6-5.9V4.7z',
  badge:
    'M3 5h18v14H3zm5.5 3a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6Zm-3.8 8.2h7.6c0-1.7-1.7-2.8-3.8-2.8s-3.8 1.1-3.8 2.8ZM14.5 9v1.9H19V9zm0 3.8v1.9H19v-1.9z',
  pulse: 'M2 11.2h4.4L9.2 4h1.7l3.6 12.2 1.6-5H22v2.2h-4.3L15.3 20.6h-1.7L9.9 8.3l-2 5.1H2z',
  gear: 'M10.3 2.5h3.4l.5 2.7 1.8 1 2.6-.9 1.7 3-2.1 1.8v2l2.1 1.8-1.7 3-2.6-1-1.8 1-.5 2.8h-3.4l-.5-2.7-1.8-1-2.6.9-1.7-3 2.1-1.8v-2L3.7 8.3l1.7-3 2.6 1 1.8-1zM12 8.9a3.1 3.1 0 1 0 0 6.2 3.1 3.1 0 0 0 0-6.2Z',
} as const

export type AreaIconName = keyof typeof shapes

/** A decorative icon: the link around it must have an accessible name. */
export function AreaIcon({ name }: { name: AreaIconName }) {
  return (
    <svg width={20} height={20} viewBox="0 0 24 24" fill="currentColor" fillRule="evenodd" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  )
}
