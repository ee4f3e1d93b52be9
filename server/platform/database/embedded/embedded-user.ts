import { spawnSync, type SpawnOptions } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ConfigError } from '#server/platform/config/config-error.ts'

/** The user that PostgreSQL runs as if this process is root, because PostgreSQL refuses to run as root. */
export interface RunAs {
  uid: number
  gid: number
  /**
   * True if a directory above the programs or the data is closed to this user. The user then gets root's capability to
   * enter directories.
   */
  needsDirCapability: boolean
}

/**
 * Chooses the user for PostgreSQL. If this process does not run as root, returns undefined: PostgreSQL runs as the same
 * user. For root, returns the owner of the existing data, or else postgres or nobody.
 * @throws ConfigError if that user can't reach `paths`, even with the capability
 */
export function chooseUser(clusterDir: string, paths: string[]): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined
  const user = ownerOf(clusterDir) ?? userNamed('postgres') ?? userNamed('nobody')
  if (!user)
    throw new ConfigError(
      'PostgreSQL does not run as root and this machine has no user "nobody" to run it as: start the site as another user or set DATABASE_URL.',
    )
  const inaccessible = paths
    .map((path) => firstInaccessibleDir(path, user))
    .find((path) => path !== undefined)
  const runAs = { ...user, needsDirCapability: inaccessible !== undefined }
  if (inaccessible !== undefined && !canGrantCapability(runAs)) {
    throw new ConfigError(
      `PostgreSQL does not run as root, and the user it would run as (id ${user.uid}) may not enter ${inaccessible}: ` +
        `allow it with "chmod o+x ${inaccessible}" and DATA_UMASK=076, move the checkout and DATA_DIR elsewhere, or set DATABASE_URL.`,
    )
  }
  return runAs
}

function ownerOf(dir: string): { uid: number; gid: number } | undefined {
  const stat = statSync(dir, { throwIfNoEntry: false })
  return stat && stat.uid !== 0 ? { uid: stat.uid, gid: stat.gid } : undefined
}

function userNamed(name: string): { uid: number; gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined
}

/** Returns the outermost directory on the path (or the path itself) that the user may not enter. */
function firstInaccessibleDir(path: string, { uid, gid }: { uid: number; gid: number }): string | undefined {
  const parent = dirname(path)
  const above = parent === path ? undefined : firstInaccessibleDir(parent, { uid, gid })
  if (above !== undefined) return above
  const { mode, uid: owner, gid: group } = statSync(path)
  const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001
  return mode & bit ? undefined : path
}

function canGrantCapability(runAs: RunAs): boolean {
  const { command, args, options } = asUser(runAs, '/bin/true', [])
  return spawnSync(command, args, { ...options, timeout: 5000 }).status === 0
}

/** Returns the command line and spawn options that run a program as the chosen user. */
export function asUser(
  runAs: RunAs | undefined,
  command: string,
  args: string[],
): { command: string; args: string[]; options: SpawnOptions } {
  if (!runAs) return { command, args, options: {} }
  const { uid, gid, needsDirCapability } = runAs
  if (!needsDirCapability) return { command, args, options: { uid, gid } }
  // PostgreSQL checks its own programs with access(2), which would ignore the capability without the secure bit.
  const rights = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup']
  return {
    command: 'setpriv',
    args: [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...rights, command, ...args],
    options: {},
  }
}
