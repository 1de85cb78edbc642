import { readRepositoryFile } from '../repository/repository-file.ts';

/** A request, and what LinOTP 2.12.6 answered. */
export interface OcraRecording {
  readonly name: string;
  /** Stands alone: it only shows a text or a shape, and what came before it is not recorded. */
  readonly sample?: true;
  /** The input of the response in the request, and the token that it is about. */
  readonly token?: {
    readonly serial: string;
    readonly suite: string;
    /** Hexadecimal. */
    readonly key: string;
    readonly ocrapin?: string;
    readonly activationcode?: string;
  };
  /**
   * Which challenge a device answers and where it stands then, in a row that we wrote: a counter, or seconds from now.
   */
  readonly device?: {
    readonly transactionid: string;
    readonly counter?: number;
    readonly seconds?: number;
  };
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
  };
  readonly response: {
    readonly status: number;
    readonly headers: readonly (readonly [name: string, value: string])[];
    /** A picture as Base64. */
    readonly body: string;
  };
}

/** @returns the recordings, in the order in which they were made */
export function readOcraRecordings(): readonly OcraRecording[] {
  return readRows('tests/exchanges/ocra-2.12.6.jsonl');
}

/**
 * Rows that nobody recorded: we wrote them in the shape of recorded ones, after what LinOTP's own tests and users of it
 * say that it answers.
 */
export function readDerivedExchanges(): readonly OcraRecording[] {
  return readRows('tests/compat/derived-exchanges.jsonl');
}

function readRows(path: string): readonly OcraRecording[] {
  return readRepositoryFile(path)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as OcraRecording);
}

/** @returns the value of a header of the recorded answer */
export function recordedHeader({ response }: OcraRecording, name: string): string {
  return response.headers.find(([each]) => each === name)?.[1] ?? '';
}

/** @returns the parameters of the recorded request, the query string's before those of the body */
export function recordedParameters({ request }: OcraRecording): URLSearchParams {
  const [, query = ''] = request.path.split('?');
  const body = request.body ?? '';
  const inBody = body.startsWith('{') ? [] : [...new URLSearchParams(body)];
  return new URLSearchParams([...new URLSearchParams(query), ...inBody]);
}
