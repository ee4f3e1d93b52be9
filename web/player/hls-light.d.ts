/** The light build brings no types of its own; what it has is as in the full one. */
declare module 'hls.js/light' {
  export * from 'hls.js'
  export { default } from 'hls.js'
}
