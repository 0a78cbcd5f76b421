import { constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { systemCode } from '../../system-error.ts'
import { BeyondBound, MAX_LAYERS, MAX_UNPACKED_BYTES } from './bounds.ts'

/** What may still be unpacked of one body: all its layers share it. */
export type Room = { left: number }

export function unpackingRoom(): Room {
  return { left: MAX_UNPACKED_BYTES }
}

/**
 * Packings that are known by their first bytes and that nothing here unpacks. Three bytes and more, since an identifier
 * of random characters is looked at as well.
 */
const UNKNOWN = [
  '\x28\xb5\x2f\xfd', // Zstandard
  'BZh91AY&',
  '\xfd7zXZ\0',
  '7z\xbc\xaf\x27\x1c',
  'Rar!\x1a\x07',
  '\x04\x22\x4d\x18', // LZ4
  '\x1f\x9d\x90', // compress
]

/** Unpacks what its first bytes say is packed. Undefined when they say nothing of that kind. @throws BeyondBound */
export function unpackedOnce(bytes: Buffer, room: Room): Buffer | undefined {
  if (bytes.length < 4) return undefined
  const [first = 0, second = 0] = bytes
  if (first === 0x1f && second === 0x8b) return within(bytes, room, gunzipSync)
  // The header of zlib: deflate, and a multiple of 31.
  if (first % 16 === 8 && first >> 4 <= 7 && (first * 256 + second) % 31 === 0)
    return within(bytes, room, inflateSync)
  if (bytes.readUInt32LE(0) === 0x04034b50) return unzipped(bytes, room)
  const start = bytes.toString('latin1', 0, 8)
  if (UNKNOWN.some((magic) => start.startsWith(magic))) throw new BeyondBound('unknown-packing')
  return undefined
}

/** Unpacks as long as there is something packed. @throws BeyondBound */
export function unpacked(bytes: Buffer, room: Room): Buffer {
  let inner = bytes
  for (let layer = 0; ; layer++) {
    const next = unpackedOnce(inner, room)
    if (next === undefined) return inner
    if (layer >= MAX_LAYERS) throw new BeyondBound('unpacks-too-far')
    inner = next
  }
}

type Unpack = (body: Uint8Array, options: { finishFlush: number; maxOutputLength: number }) => Buffer

function within(bytes: Uint8Array, room: Room, unpack: Unpack): Buffer | undefined {
  // What arrived of a cut-off body is looked at as far as it goes.
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: Math.max(1, room.left) }
  try {
    const inner = unpack(bytes, options)
    room.left -= inner.length
    return inner
  } catch (cause) {
    if (systemCode(cause) === 'ERR_BUFFER_TOO_LARGE') throw new BeyondBound('unpacks-too-far')
    return undefined
  }
}

/** The files of a ZIP archive, one after the other. */
function unzipped(bytes: Buffer, room: Room): Buffer {
  const files: Buffer[] = []
  for (let at = 0; at + 30 <= bytes.length && bytes.readUInt32LE(at) === 0x04034b50; ) {
    const method = bytes.readUInt16LE(at + 8)
    const size = bytes.readUInt32LE(at + 18)
    const nameLength = bytes.readUInt16LE(at + 26)
    const start = at + 30 + nameLength + bytes.readUInt16LE(at + 28)
    // A size that stands behind the file: everything that is left is the file's.
    const end = size === 0 || start + size > bytes.length ? bytes.length : start + size
    const file = bytes.subarray(start, end)
    files.push(bytes.subarray(at + 30, at + 30 + nameLength))
    if (method === 8) files.push(within(file, room, inflateRawSync) ?? file)
    else if (method === 0) files.push(file)
    else throw new BeyondBound('unknown-packing')
    at = end
  }
  return Buffer.concat(files.flatMap((file) => [file, Buffer.from('\n')]))
}
