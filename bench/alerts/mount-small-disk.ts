import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

/** A separate disk, which can be filled without harm to the machine. */
interface SmallDisk {
  folder: string
  /** Fills the disk until only the share `free` (0 to 1) of it is free. */
  fill(free: number): Promise<void>
  empty(): void
  close(): void
}

const size = '200m'

/** Mounts a small in-memory disk at a folder. @throws Error without root privileges */
export function mountSmallDisk(folder: string): SmallDisk {
  mkdirSync(folder, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'pipe' })
  const ballast = join(folder, 'ballast')
  return {
    folder,
    async fill(free) {
      const { blocks, bfree, bsize } = statfsSync(folder)
      const file = await open(ballast, 'w')
      await file.writeFile(Buffer.alloc(Math.floor((bfree - blocks * free) * bsize)))
      await file.close()
    },
    empty: () => rmSync(ballast, { force: true }),
    close: () => void execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' }),
  }
}
