import { resolve } from 'node:path'

/** A path as the operator typed it: npm runs us in the project's folder and tells which one the operator is in. */
export const pathFromShell = (path: string): string => resolve(process.env['INIT_CWD'] ?? '', path)
