import { Busboy } from '@fastify/busboy';
import { ServiceError } from '../kernel/errors.ts';
import { decodeUtf8, type Entry } from './query-string.ts';

/**
 * Reads `multipart/form-data` (RFC 7578). Every part counts as text in UTF-8, one with a file name, too.
 * @param mostParts more parts are refused
 * @throws ServiceError 'request.malformed'
 */
export async function parseMultipart(contentType: string, body: Buffer, mostParts: number): Promise<Entry[]> {
  const parts = await splitParts(contentType, body, mostParts);
  return parts.map(({ name, chunks }) => [name, decodeUtf8(Buffer.concat(chunks))]);
}

interface Part {
  readonly name: string;
  readonly chunks: Buffer[];
}

async function splitParts(contentType: string, body: Buffer, mostParts: number): Promise<Part[]> {
  const parts: Part[] = [];
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause?: unknown): void => {
      reject(new ServiceError('request.malformed', 'The multipart body is malformed', { cause }));
    };
    try {
      const parser = new Busboy({
        headers: { 'content-type': contentType },
        // As files the parts come as bytes, which are decoded strictly here.
        isPartAFile: () => true,
        limits: { files: mostParts, headerPairs: 20, headerSize: 4_096 },
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
      parser.on('filesLimit', refuse);
      parser.on('error', refuse);
      parser.on('finish', resolve);
      parser.end(body);
    } catch (error) {
      refuse(error);
    }
  });
  return parts;
}
