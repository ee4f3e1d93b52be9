/** What the tests with other people's browsers need of one. */
export interface RealBrowser {
  /** Opens a page, and waits until it has come. */
  open(url: string): Promise<void>
  /** What this JavaScript, the body of a function, returns in the page. */
  run<T>(body: string): Promise<T>
  press(key: string): Promise<void>
  /** What was written to the console so far as errors or warnings, or thrown; undefined where the browser does not tell. */
  noise(): string[] | undefined
  close(): Promise<void>
}
