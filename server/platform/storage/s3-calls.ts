import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { S3Config } from '#server/platform/config/read-s3.ts'
import { StorageError } from './storage.ts'

/**
 * Time-outs and the number of attempts. A server error and a refused or broken connection are retried after a moment.
 */
export interface S3Timeouts {
  attempts: number
  connectMs: number
  /** Time-out without a byte in either direction. */
  idleMs: number
  /** Time-out of one whole request. */
  requestMs: number
}

const defaultTimeouts: S3Timeouts = { attempts: 4, connectMs: 5000, idleMs: 20_000, requestMs: 180_000 }

/** HTTP statuses for: redirected, denied (a wrong key or clock), too slow, too many requests. */
const unavailableStatuses = new Set([301, 401, 403, 408, 429])
const unavailableCodes = new Set(['NoSuchBucket', 'RequestTimeout'])

/** A failed call: an error response of the store, or no response. The message is for the log. */
export class StoreError extends StorageError {
  readonly status: number | undefined
  readonly code: string
  constructor(call: string, error: unknown) {
    const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
    const code = error instanceof Error ? error.name : 'Error'
    const words = error instanceof Error ? error.message : String(error)
    super(
      status === undefined
        ? `A call to the S3 store failed (${call}): ${words}`
        : `The S3 store refused ${call}: ${status} ${code}`,
      { cause: error },
    )
    this.status = status
    this.code = code
  }

  get isUnavailable(): boolean {
    const { status, code } = this
    return (
      status === undefined || status >= 500 || unavailableStatuses.has(status) || unavailableCodes.has(code)
    )
  }

  get isMissing(): boolean {
    return this.status === 404 && this.code !== 'NoSuchBucket'
  }
}

/** The remaining bytes of a file. */
interface RemainingRange {
  from: number
  /** Size of the whole file. */
  bytes: number
  etag: string
}

export interface Part {
  number: number
  etag: string
  bytes: number
}

export interface Upload {
  key: string
  id: string
  startedAt: Date
}

export type S3Calls = ReturnType<typeof createS3Calls>

interface FileHeaders {
  ContentType: string | undefined
  CacheControl: string
}

/** Creates the S3 calls of the storage. Each call has time-outs. A call that fails rejects with a StoreError. */
export function createS3Calls(settings: S3Config, secretAccessKey: string, timeouts = defaultTimeouts) {
  const { endpoint, region, bucket: Bucket, accessKeyId, forcePathStyle } = settings
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: timeouts.attempts,
    // Stores other than Amazon's do not support trailing checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: timeouts.connectMs,
      socketTimeout: timeouts.idleMs,
      requestTimeout: timeouts.requestMs,
      throwOnRequestTimeout: true,
    },
  })
  const ask = async <Answer>(call: string, answer: Promise<Answer>, signal?: AbortSignal): Promise<Answer> =>
    answer.catch((error: unknown) => {
      signal?.throwIfAborted()
      throw new StoreError(call, error)
    })

  return {
    attempts: timeouts.attempts,
    close: () => client.destroy(),
    checkBucket: () => ask('HeadBucket', client.send(new HeadBucketCommand({ Bucket }))),
    async head(Key: string): Promise<{ bytes: number; etag: string }> {
      const answer = await ask(`HeadObject ${Key}`, client.send(new HeadObjectCommand({ Bucket, Key })))
      return { bytes: answer.ContentLength ?? 0, etag: answer.ETag ?? '' }
    },
    async get(Key: string) {
      const { Body } = await ask(`GetObject ${Key}`, client.send(new GetObjectCommand({ Bucket, Key })))
      if (!Body) throw new StoreError(`GetObject ${Key}`, new Error('an answer without a body'))
      return Body
    },
    /** Reads a file's bytes from an offset; fails if the file has changed. */
    async getRest(
      Key: string,
      { from, bytes, etag }: RemainingRange,
      signal?: AbortSignal,
    ): Promise<Readable> {
      const range = from > 0 ? { Range: `bytes=${from}-` } : {}
      const command = new GetObjectCommand({ Bucket, Key, ...range, IfMatch: etag })
      const call = `GetObject ${Key}`
      const answer = await ask(call, client.send(command, { abortSignal: signal }), signal)
      const { Body, ContentRange, $metadata } = answer
      if (!(Body instanceof Readable)) throw new StoreError(call, new Error('an answer without a stream'))
      const isRight =
        from === 0 ||
        ($metadata.httpStatusCode === 206 && ContentRange === `bytes ${from}-${bytes - 1}/${bytes}`)
      if (isRight) return Body
      Body.destroy()
      const received = `${$metadata.httpStatusCode} ${ContentRange ?? ''}`.trim()
      throw new StoreError(call, new Error(`other bytes than those from ${from} on (${received})`))
    },
    put: (Key: string, Body: Uint8Array, headers: FileHeaders, signal?: AbortSignal) =>
      ask(
        `PutObject ${Key}`,
        client.send(new PutObjectCommand({ Bucket, Key, Body, ...headers }), { abortSignal: signal }),
        signal,
      ),
    copy: (from: string, Key: string) => {
      const CopySource = [Bucket, ...from.split('/')].map(encodeURIComponent).join('/')
      return ask(`CopyObject ${from}`, client.send(new CopyObjectCommand({ Bucket, Key, CopySource })))
    },
    delete: (Key: string) =>
      ask(`DeleteObject ${Key}`, client.send(new DeleteObjectCommand({ Bucket, Key }))),
    async *list(Prefix: string) {
      for (let ContinuationToken: string | undefined; ;) {
        const command = new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken })
        const page = await ask(`ListObjectsV2 ${Prefix}`, client.send(command))
        for (const { Key = '', Size = 0, ETag = '', LastModified = new Date(0) } of page.Contents ?? [])
          yield { key: Key, bytes: Size, etag: ETag, modifiedAt: LastModified }
        if (!page.IsTruncated) return
        ContinuationToken = page.NextContinuationToken
      }
    },
    async *uploads(Prefix: string): AsyncGenerator<Upload> {
      for (let markers: { KeyMarker?: string; UploadIdMarker?: string } = {}; ;) {
        const command = new ListMultipartUploadsCommand({ Bucket, Prefix, ...markers })
        const page = await ask(`ListMultipartUploads ${Prefix}`, client.send(command))
        for (const { Key = '', UploadId = '', Initiated = new Date(0) } of page.Uploads ?? [])
          yield { key: Key, id: UploadId, startedAt: Initiated }
        if (!page.IsTruncated) return
        markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
      }
    },
    async *parts({ key, id }: Pick<Upload, 'key' | 'id'>): AsyncGenerator<Part> {
      for (let PartNumberMarker: string | undefined; ;) {
        const command = new ListPartsCommand({ Bucket, Key: key, UploadId: id, PartNumberMarker })
        const page = await ask(`ListParts ${key}`, client.send(command))
        for (const { PartNumber = 0, ETag = '', Size = 0 } of page.Parts ?? [])
          yield { number: PartNumber, etag: ETag, bytes: Size }
        if (!page.IsTruncated) return
        PartNumberMarker = page.NextPartNumberMarker
      }
    },
    async beginUpload(Key: string, headers: FileHeaders): Promise<string> {
      const command = new CreateMultipartUploadCommand({ Bucket, Key, ...headers })
      const { UploadId = '' } = await ask(`CreateMultipartUpload ${Key}`, client.send(command))
      return UploadId
    },
    async uploadPart(
      { key, id }: { key: string; id: string },
      PartNumber: number,
      Body: Uint8Array,
      signal?: AbortSignal,
    ): Promise<Part> {
      const command = new UploadPartCommand({ Bucket, Key: key, UploadId: id, PartNumber, Body })
      const call = `UploadPart ${PartNumber} of ${key}`
      const { ETag = '' } = await ask(call, client.send(command, { abortSignal: signal }), signal)
      return { number: PartNumber, etag: ETag, bytes: Body.byteLength }
    },
    finishUpload({ key, id }: { key: string; id: string }, parts: readonly Part[]) {
      const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }))
      const input = { Bucket, Key: key, UploadId: id, MultipartUpload: { Parts } }
      return ask(`CompleteMultipartUpload ${key}`, client.send(new CompleteMultipartUploadCommand(input)))
    },
    abortUpload: ({ key, id }: Upload) =>
      ask(
        `AbortMultipartUpload ${key}`,
        client.send(new AbortMultipartUploadCommand({ Bucket, Key: key, UploadId: id })),
      ),
  }
}
