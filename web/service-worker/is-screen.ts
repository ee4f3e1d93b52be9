import { paths } from '#web/lib/paths.ts'

const patterns = Object.values(paths).map(
  ({ pattern }) => new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`),
)

/** Returns whether a path is one of the router's screens. The card form, calls and the gateways' pages are not. */
export const isScreen = (pathname: string): boolean => patterns.some((pattern) => pattern.test(pathname))
