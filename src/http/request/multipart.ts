import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { ServiceError } from '../../kernel/errors.ts';
import { decodeUtf8, type QueryEntry, tooManyParameters } from './query-string.ts';

/** Bytes that are parsed at once. After a refusal the rest of the piece is not parsed. */
const PORTION = 1_024;

interface Part {
  readonly name: string;
  readonly chunks: Buffer[];
}

/**
 * Reads `multipart/form-data` (RFC 7578) from a stream. Every part is read as text in UTF-8, also one with a file name.
 * After an error the caller must stop the stream.
 * @param maxParts parts; a further one is refused as soon as it begins
 * @throws ServiceError 'request.malformed'
 */
export async function parseMultipart(
  contentType: string,
  body: Readable,
  maxParts: number,
): Promise<QueryEntry[]> {
  const parts: Part[] = [];
  await new Promise<void>((resolve, reject) => {
    let isOver = false;
    const refuse = (cause?: unknown): void => {
      isOver = true;
      reject(new ServiceError('request.malformed', 'The multipart body is malformed', { cause }));
    };
    try {
      const parser = new Busboy({
        headers: { 'content-type': contentType },
        // As files the parts come as bytes, which are decoded strictly below.
        isPartAFile: () => true,
        limits: { parts: maxParts, headerPairs: 20, headerSize: 4_096 },
      });
      parser.on('file', (name: string | undefined, content) => {
        if (name === undefined || name.includes('\ufffd')) {
          refuse();
        }
        const part: Part = { name: name ?? '', chunks: [] };
        parts.push(part);
        content.on('data', (chunk: Buffer) => part.chunks.push(chunk));
        content.on('error', refuse);
      });
      parser.on('partsLimit', () => {
        isOver = true;
        reject(tooManyParameters(maxParts));
      });
      parser.on('error', refuse);
      parser.on('finish', resolve);
      body.on('data', (piece: Buffer) => {
        for (let start = 0; start < piece.length && !isOver; start += PORTION) {
          parser.write(piece.subarray(start, start + PORTION));
        }
      });
      body.once('end', () => {
        if (!isOver) {
          parser.end();
        }
      });
    } catch (error) {
      refuse(error);
    }
  });
  return parts.map(({ name, chunks }) => [name, decodeUtf8(Buffer.concat(chunks))]);
}
