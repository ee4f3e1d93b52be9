import { resolve } from 'node:path'

/**
 * Resolves a path typed by the operator: npm runs scripts in the project's folder and passes the operator's folder in
 * INIT_CWD.
 */
export const pathFromShell = (path: string): string => resolve(process.env['INIT_CWD'] ?? '', path)
