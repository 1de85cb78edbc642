import { csrfHeaders, failureOf } from '../api/call.ts';
import { ServerFailure } from '../api/server-failure.ts';

/** A file of the audit that was received whole. */
export interface ExportedFile {
  readonly name: string;
  readonly content: Blob;
  /** True if the file can be verified elsewhere. */
  readonly isVerifiable: boolean;
}

/**
 * Gets an export by POST: no filter is in a URL.
 * @param onProgress receives the number of bytes so far
 * @throws ServerFailure, also for a file that ends too early
 */
export async function fetchExport(
  parameters: object,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (bytes: number) => void },
): Promise<ExportedFile> {
  const response = await orAway(
    fetch('api/admin/audit/export', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...csrfHeaders(document.cookie) },
      body: JSON.stringify(parameters),
      signal,
    }),
    signal,
  );
  const name = /filename="([\w.-]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
  if (name === undefined || response.body === null) {
    throw failureOf(response, await orAway(response.text(), signal));
  }
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body.getReader();
  for (let bytes = 0; ;) {
    const { done, value } = await orAway(reader.read(), signal);
    if (done) {
      break;
    }
    parts.push(value);
    bytes += value.length;
    onProgress(bytes);
  }
  return {
    name,
    content: new Blob(parts, { type: response.headers.get('Content-Type') ?? '' }),
    isVerifiable: response.headers.get('X-Audit-Verifiable') === 'yes',
  };
}

async function orAway<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw signal.aborted ? error : new ServerFailure('', { status: 0 });
  }
}
