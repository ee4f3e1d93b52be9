type Listener = (pathname: string) => void

const listeners: Listener[] = []

/**
 * Registers a listener for navigations. Used by modules that must not import the router, because the router imports all
 * screens.
 */
export const onPathChange = (listener: Listener): unknown => listeners.push(listener)

export const notifyPathChange: Listener = (pathname) => listeners.forEach((listener) => listener(pathname))
