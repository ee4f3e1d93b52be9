import { mkdirSync, mkdtempSync, readFileSync, existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Storage } from '#server/platform/storage/storage.ts'

/** Defines the tests that every storage must pass. Each test uses its own folder in the same storage. */
export function testStorageContract(name: string, storageOf: () => Storage): void {
  let locationCount = 0
  const newLocation = () => ({
    storage: storageOf(),
    at: `media/ast_${name.replaceAll(/\W/g, '')}${++locationCount}`,
  })

  describe(name, () => {
    it('writes and reads a file, and replaces an existing file', async () => {
      const { storage, at } = newLocation()
      await storage.write(`${at}/a b+ü.txt`, 'one')
      await storage.write(`${at}/a b+ü.txt`, Buffer.from([0, 255, 10]))
      expect([...(await storage.read(`${at}/a b+ü.txt`))]).toEqual([0, 255, 10])
      await storage.write(`${at}/empty`, '')
      expect((await storage.read(`${at}/empty`)).length).toBe(0)
    })

    it('reports a missing file', async () => {
      const { storage, at } = newLocation()
      expect(await storage.exists(`${at}/none`)).toBe(false)
      const missing = { code: 'ENOENT' }
      await expect(storage.read(`${at}/none`)).rejects.toMatchObject(missing)
      await expect(storage.copy(`${at}/none`, `${at}/other`)).rejects.toMatchObject(missing)
      await expect(storage.getLocalPath(`${at}/none`, storage.workDir)).rejects.toMatchObject(missing)
      await storage.remove(`${at}/none`)
    })

    it('moves a folder into the storage, and replaces an existing folder', async () => {
      const { storage, at } = newLocation()
      await storage.moveFromWorkDir(
        createTestFolder(storage, { 'index.m3u8': 'old', 'v0/1.m4s': 'old', 'v9/9.m4s': 'old' }),
        at,
      )
      const fresh = createTestFolder(storage, { 'index.m3u8': 'new', 'v0/1.m4s': 'old', 'v1/1.m4s': 'new' })
      await storage.moveFromWorkDir(fresh, at)
      expect(existsSync(fresh)).toBe(false)
      expect(await contentsOf(storage, at)).toEqual({
        'index.m3u8': 'new',
        'v0/1.m4s': 'old',
        'v1/1.m4s': 'new',
      })
    })

    it('moves a file into the storage, copies it, and provides a local path to the copy', async () => {
      const { storage, at } = newLocation()
      const folder = createTestFolder(storage, { 'film.mp4': 'film' })
      await storage.moveFromWorkDir(join(folder, 'film.mp4'), `${at}/film.mp4`)
      await storage.copy(`${at}/film.mp4`, `${at}/again.mp4`)
      const path = await storage.getLocalPath(`${at}/again.mp4`, folder)
      expect(readFileSync(path, 'utf8')).toBe('film')
      expect(await storage.exists(`${at}/film.mp4`)).toBe(true)
    })

    it('lists all files below a folder with size and time, but no file of another folder whose name begins with the name of this folder', async () => {
      const { storage, at } = newLocation()
      const before = Date.now() - 5000
      await storage.write(`${at}/v0/1.m4s`, '12345')
      await storage.write(`${at}2/other`, 'x')
      const files = []
      for await (const file of storage.list(at)) files.push(file)
      expect(files).toMatchObject([{ key: `${at}/v0/1.m4s`, bytes: 5 }])
      expect(files[0]?.modifiedAt.getTime()).toBeGreaterThan(before)
    })

    it('lists a folder from which files and folders are removed meanwhile', async () => {
      const { storage, at } = newLocation()
      const files = ['1', '2', 'v0/3', 'v1/4']
      for (const file of files) await storage.write(`${at}/${file}`, file)
      const listed: string[] = []
      for await (const { key } of storage.list(at)) {
        listed.push(key)
        for (const file of files) await storage.remove(`${at}/${file.split('/')[0]}`)
      }
      expect(listed.length).toBeGreaterThan(0)
    })

    it('removes a file, or a folder with its contents, and nothing else', async () => {
      const { storage, at } = newLocation()
      for (const file of ['a/1', 'a/b/2', 'ab/3', 'c']) await storage.write(`${at}/${file}`, file)
      await storage.remove(`${at}/a`)
      await storage.remove(`${at}/c`)
      expect(await contentsOf(storage, at)).toEqual({ 'ab/3': 'ab/3' })
    })

    it('refuses a key that leads outside of the storage', async () => {
      const { storage } = newLocation()
      for (const key of ['../app-secret', 'media/../../x', '/etc/passwd', 'a//b', 'a/./b', 'a\\..\\b', ''])
        await expect((async () => storage.read(key))()).rejects.toThrow('leads out of the storage')
    })

    it('moves nothing into the storage after an abort', async () => {
      const { storage, at } = newLocation()
      const folder = createTestFolder(storage, { one: '1' })
      await expect(storage.moveFromWorkDir(folder, at, AbortSignal.abort())).rejects.toThrow('abort')
      expect(existsSync(folder)).toBe(true)
      expect(await contentsOf(storage, at)).toEqual({})
    })
  })
}

/** Creates a folder with these files in the work folder of the storage. */
export function createTestFolder(storage: Storage, files: Record<string, string | Buffer>): string {
  const folder = mkdtempSync(join(storage.workDir, 'made-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

async function contentsOf(storage: Storage, folder: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {}
  for await (const { key } of storage.list(folder))
    contents[key.slice(folder.length + 1)] = (await storage.read(key)).toString()
  return contents
}
