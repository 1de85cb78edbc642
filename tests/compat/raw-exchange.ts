import { request } from 'node:http';

/** A request as it goes over the wire. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface RawAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly cookies: readonly string[];
  readonly body: Buffer;
}

/** Sends a request to a server on this machine, as it is, over a connection of its own. */
export async function exchange(
  port: number,
  { method, path, headers, body }: RawRequest,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => {
        resolve({
          status: answer.statusCode ?? 0,
          contentType: answer.headers['content-type'] ?? '',
          cookies: answer.headers['set-cookie'] ?? [],
          body: Buffer.concat(parts),
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body ?? undefined);
  });
}
