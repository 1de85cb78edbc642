/** An answer that is larger than allowed. */
export class OversizedAnswer extends Error {
  constructor(max: number) {
    super(`The answer has more than ${max} bytes`);
  }
}

/**
 * @param max bytes of an answer, decompressed
 * @returns a `fetch` that reads the answer whole, so that the signal of the request bounds its time, too
 * @throws OversizedAnswer, and what `fetch` throws
 */
export function boundedFetch(max: number): (url: string, options: object) => Promise<Response> {
  return async (url, options) => {
    const answer = await fetch(url, options);
    const { status, statusText, headers } = answer;
    const body = await readBody(answer, max);
    // A status such as 204 has no body.
    return new Response(body.length === 0 ? null : body, { status, statusText, headers });
  };
}

async function readBody({ body }: Response, max: number): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // Node's streams can be iterated; leaving the loop closes the connection.
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > max) {
      throw new OversizedAnswer(max);
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}
