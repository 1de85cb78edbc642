import type { IncomingMessage } from 'node:http';

/** @returns the announced length; 0 where there is none */
export function announcedBytes(headers: IncomingMessage['headers']): number {
  return Number(headers['content-length'] ?? 0);
}

/** @returns true if a request has a body, according to its headers */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || announcedBytes(headers) > 0;
}

/** @returns true if the body of a request may exceed that many bytes, according to its headers */
export function mayExceed({ headers }: IncomingMessage, bytes: number): boolean {
  return headers['transfer-encoding'] !== undefined || announcedBytes(headers) > bytes;
}
