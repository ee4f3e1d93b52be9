import { open } from 'node:fs/promises'

/**
 * Distances between packets in bytes: plain packets, packets with a timestamp before each (cameras), packets with a
 * checksum after each (receivers).
 */
const packetLengths = [188, 192, 204]
const sync = 0x47

/**
 * Finds the first packet of a transport stream, and the distance between packets in bytes. Returns undefined for any
 * other file. The file may begin in the middle of a packet.
 */
export function findPackets(start: Buffer): { first: number; length: number } | undefined {
  for (const length of packetLengths) {
    for (let first = 0; first < length && first + 2 * length < start.length; first++) {
      let at = first
      while (at < start.length && start[at] === sync) at += length
      if (at >= start.length) return { first, length }
    }
  }
  return undefined
}

/** Discontinuities of a transport stream that was joined from several streams. */
export interface StreamBreaks {
  /** Smallest backward jump of a track's clock in seconds; undefined if there is none. */
  clockJump: number | undefined
  /**
   * True if a track changes its codec, or ends while another track of its kind begins. ffmpeg silently drops everything
   * after that point.
   */
  codecChanges: boolean
  /** True if the sample rate of AAC changes. ffmpeg does not notice that when it computes the times of packets. */
  aacRateChanges: boolean
}

const chunk = 4 * 1024 ** 2

/**
 * Finds discontinuities. Reads the headers of all packets, the tables of tracks, and the times of the tracks with these
 * packet identifiers (PIDs).
 */
export async function findStreamBreaks(
  path: string,
  pids: readonly number[],
  signal?: AbortSignal,
): Promise<StreamBreaks> {
  const file = await open(path)
  try {
    const buffer = Buffer.alloc(chunk)
    const reader = createBreakReader(pids)
    let length: number | undefined
    let [from, leftover] = [0, 0]
    for (;;) {
      signal?.throwIfAborted()
      const { bytesRead } = await file.read(buffer, leftover, chunk - leftover, from)
      if (bytesRead === 0) return reader.breaks()
      from += bytesRead
      const bytes = buffer.subarray(0, leftover + bytesRead)
      length ??= findPackets(bytes.subarray(0, 1024))?.length ?? 188
      let at = 0
      while (at + length < bytes.length) {
        // After lost bytes, a packet is accepted only if another packet follows directly.
        if (bytes[at] === sync && bytes[at + length] === sync) {
          reader.take(bytes, at)
          at += length
        } else at += 1
      }
      leftover = bytes.copy(buffer, 0, at)
    }
  } finally {
    await file.close()
  }
}

const packetBytes = 188

function createBreakReader(pids: readonly number[]) {
  const clocks = new Map<number, number>()
  const aacRates = new Map<number, number>()
  let aacRateChanges = false
  const tables = new Map<number, (payload: Buffer, isStart: boolean) => void>()
  let clockJump: number | undefined
  const tracks = watchTracks(pids, (pid, take) => {
    if (!tables.has(pid)) tables.set(pid, collectSections(take))
  })
  tables.set(0, collectSections(tracks.takePrograms))
  return {
    take(bytes: Buffer, at: number) {
      const pid = bytes.readUInt16BE(at + 1) & 0x1fff
      const table = tables.get(pid)
      if (!table && !pids.includes(pid)) return
      const control = bytes.readUInt8(at + 3)
      const begin = at + 4 + (control & 0x20 ? 1 + bytes.readUInt8(at + 4) : 0)
      if (!(control & 0x10) || begin >= at + packetBytes) return
      const isStart = (bytes.readUInt8(at + 1) & 0x40) !== 0
      const payload = bytes.subarray(begin, at + packetBytes)
      if (table) return table(payload, isStart)
      const time = isStart ? decodingTime(payload) : undefined
      const rate = isStart && tracks.isAac(pid) ? aacRateOf(payload) : undefined
      if (rate !== undefined) {
        aacRateChanges ||= (aacRates.get(pid) ?? rate) !== rate
        aacRates.set(pid, rate)
      }
      if (time === undefined) return
      const jump = clocks.has(pid) ? secondsBack(clocks.get(pid) ?? 0, time) : 0
      if (jump > minJump) clockJump = Math.min(jump, clockJump ?? Infinity)
      clocks.set(pid, time)
    },
    breaks: (): StreamBreaks => ({ clockJump, codecChanges: tracks.haveChanged(), aacRateChanges }),
  }
}

const ticks = 90_000
/** Times have 33 bits. After 26.5 hours they restart at 0, which is not a jump. */
const wrap = 2 ** 33
/**
 * Smallest backward jump that counts, in seconds. Frames without a decoding time may be out of order by less than this.
 */
const minJump = 0.5

function secondsBack(last: number, next: number): number {
  const back = (last - next + wrap) % wrap
  return back > wrap / 2 ? 0 : back / ticks
}

/**
 * Reads the decoding time from a track's packet header (PES). If there is none, reads the presentation time. Returns
 * undefined if there is neither.
 */
function decodingTime(payload: Buffer): number | undefined {
  if (payload.length < 19 || payload.readUIntBE(0, 3) !== 1) return undefined
  const timestampFlags = payload.readUInt8(7) >> 6
  if (timestampFlags < 2) return undefined
  const at = timestampFlags === 3 ? 14 : 9
  const high = (payload.readUInt8(at) >> 1) & 7
  return high * 2 ** 30 + (payload.readUInt16BE(at + 1) >> 1) * 2 ** 15 + (payload.readUInt16BE(at + 3) >> 1)
}

/** The highest index in AAC's table of sample rates. */
const highestAacRate = 12

/** Returns the index of the AAC sample rate if the packet (PES) begins with ADTS audio. Returns undefined otherwise. */
function aacRateOf(payload: Buffer): number | undefined {
  if (payload.length < 9 || payload.readUIntBE(0, 3) !== 1 || (payload.readUInt8(3) & 0xe0) !== 0xc0)
    return undefined
  const at = 9 + payload.readUInt8(8)
  if (payload.length < at + 3 || (payload.readUInt16BE(at) & 0xfff6) !== 0xfff0) return undefined
  const rate = (payload.readUInt8(at + 2) >> 2) & 0xf
  return rate <= highestAacRate ? rate : undefined
}

/**
 * Assembles the sections of a table from its packets. Calls `take` for each complete section that differs from the
 * previous one.
 */
function collectSections(take: (section: Buffer) => void): (payload: Buffer, isStart: boolean) => void {
  let pending = Buffer.alloc(0)
  const last = new Map<number, Buffer>()
  const drain = () => {
    while (pending.length >= 8 && pending[0] !== 0xff) {
      const size = 3 + (pending.readUInt16BE(1) & 0xfff)
      if (pending.length < size) return
      const section = pending.subarray(0, size)
      const number = size < 12 ? -1 : section.readUInt16BE(3)
      if (number >= 0 && !last.get(number)?.equals(section) && checksum(section) === 0) {
        last.set(number, section)
        take(section)
      }
      pending = pending.subarray(size)
    }
  }
  return (payload, isStart) => {
    const begin = isStart ? 1 + payload.readUInt8(0) : 0
    if (!isStart && pending.length === 0) return
    pending = Buffer.concat([pending, isStart ? payload.subarray(1, begin) : payload])
    drain()
    if (!isStart) return
    pending = Buffer.from(payload.subarray(begin))
    drain()
  }
}

/** Computes MPEG's CRC-32. The result is 0 for a section that ends with its correct checksum. */
function checksum(section: Buffer): number {
  let value = 0xffffffff
  for (const byte of section) {
    value ^= byte << 24
    for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0)
  }
  return value
}

/** Detects in the tables whether these tracks change their codecs. Also finds the program that contains the tracks. */
function watchTracks(
  pids: readonly number[],
  onTable: (pid: number, take: (section: Buffer) => void) => void,
) {
  const codecs = new Map<number, string>()
  let programs = new Set<number>()
  let ourProgram: number | undefined
  let changed = false
  const takeTracks = (section: Buffer) => {
    const program = section.readUInt16BE(3)
    if (section[0] !== 2) return
    const listed = tracksOf(section)
    if (pids.some((pid) => listed.has(pid))) ourProgram = program
    // Ignore the tables of the other programs of a broadcast.
    else if (ourProgram === undefined || (ourProgram !== program && programs.has(ourProgram))) return
    for (const pid of pids) {
      const codec = listed.get(pid)
      const known = codecs.get(pid)
      if (codec !== undefined && known === undefined) codecs.set(pid, codec)
      else if (known !== undefined && known !== codec)
        changed ||=
          codec !== undefined || [...listed.values()].some((other) => kindOf(other) === kindOf(known))
    }
  }
  return {
    takePrograms(section: Buffer) {
      programs = new Set()
      for (let at = 8; at + 4 <= section.length - 4; at += 4) {
        programs.add(section.readUInt16BE(at))
        if (section.readUInt16BE(at) !== 0) onTable(section.readUInt16BE(at + 2) & 0x1fff, takeTracks)
      }
    },
    haveChanged: () => changed,
    isAac: (pid: number) => codecs.get(pid) === aac,
  }
}

const aac = 'sound aac'
/** Codec names by the type of a track in its table (ISO 13818-1, ATSC A/53). */
const codecsByType: Record<number, string> = {
  0x01: 'picture mpeg2',
  0x02: 'picture mpeg2',
  0x10: 'picture mpeg4',
  0x1b: 'picture h264',
  0x24: 'picture hevc',
  0x33: 'picture vvc',
  0xd1: 'picture dirac',
  0xea: 'picture vc1',
  0x03: 'sound mpeg',
  0x04: 'sound mpeg',
  0x0f: aac,
  0x11: 'sound latm',
  0x81: 'sound ac3',
  0x84: 'sound eac3',
  0x87: 'sound eac3',
  0x82: 'sound dts',
  0x83: 'sound truehd',
  0x80: 'sound pcm',
}
/**
 * Codec names of tracks with a private type, by descriptor tag (EN 300 468). If there is no such tag, `codecsByName`
 * has the codec.
 */
const codecsByDescriptor: Record<number, string> = {
  0x6a: 'sound ac3',
  0x7a: 'sound eac3',
  0x7b: 'sound dts',
}
const codecsByName: Record<string, string> = {
  'AC-3': 'sound ac3',
  EAC3: 'sound eac3',
  Opus: 'sound opus',
  DTS1: 'sound dts',
  DTS2: 'sound dts',
  DTS3: 'sound dts',
  HEVC: 'picture hevc',
}

const kindOf = (codec: string) => codec.split(' ', 1)[0]

/** Returns the codecs of a program's tracks by PID. */
function tracksOf(section: Buffer): Map<number, string> {
  const listed = new Map<number, string>()
  const end = section.length - 4
  let at = 12 + (section.readUInt16BE(10) & 0xfff)
  while (at + 5 <= end) {
    const type = section.readUInt8(at)
    const next = at + 5 + (section.readUInt16BE(at + 3) & 0xfff)
    const described = codecOfDescriptors(section.subarray(at + 5, Math.min(next, end)))
    listed.set(section.readUInt16BE(at + 1) & 0x1fff, codecsByType[type] ?? described ?? `other ${type}`)
    at = next
  }
  return listed
}

function codecOfDescriptors(descriptors: Buffer): string | undefined {
  for (let at = 0; at + 2 <= descriptors.length; at += 2 + descriptors.readUInt8(at + 1)) {
    const tag = descriptors.readUInt8(at)
    const name = tag === 5 ? descriptors.toString('latin1', at + 2, at + 6) : ''
    const codec = codecsByDescriptor[tag] ?? codecsByName[name]
    if (codec !== undefined) return codec
  }
  return undefined
}
