import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type RunningServer, startServer } from '../../../src/http/serving/server.ts';
import { TestApplication } from '../../support/application/test-application.ts';

export const FORM = 'Content-Type: application/x-www-form-urlencoded';

/** What a client writes of its parameters. */
interface Written {
  /** What follows the path in the first line. */
  readonly query?: string;
  readonly head?: readonly string[];
  readonly body?: Buffer;
}

/** Writes parameters as a client does. */
export type Encoding = (fields: Readonly<Record<string, string>>) => Written;

function formOf(fields: Readonly<Record<string, string>>, encode: (text: string) => string): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encode(value)}`)
    .join('&');
}

/** @returns the text with all but letters and digits percent-encoded, in that charset */
function percentEncoded(text: string, charset: 'utf8' | 'latin1'): string {
  return Array.from(Buffer.from(text, charset), (byte) =>
    /[\w.-]/.test(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}

const asUtf8 = (text: string): string => percentEncoded(text, 'utf8').replaceAll('%20', '+');

function withBody(type: string, text: string): Written {
  const body = Buffer.from(text);
  return { head: [type, `Content-Length: ${body.length}`], body };
}

/** @param type the header `Content-Type` */
export function form(type = FORM): Encoding {
  return (fields) => withBody(type, formOf(fields, asUtf8));
}

/** @param type the header `Content-Type` */
export function latin1Form(type = `${FORM}; charset=ISO-8859-1`): Encoding {
  return (fields) =>
    withBody(
      type,
      formOf(fields, (text) => percentEncoded(text, 'latin1')),
    );
}

/** Letters as they are, as shell scripts send them. */
export const unencodedForm: Encoding = (fields) =>
  withBody(
    FORM,
    formOf(fields, (text) => text),
  );

export const query: Encoding = (fields) => ({ query: `?${formOf(fields, asUtf8)}` });

export const latin1Query: Encoding = (fields) => ({
  query: `?${formOf(fields, (text) => percentEncoded(text, 'latin1'))}`,
});

export const json: Encoding = (fields) => withBody('Content-Type: application/json', JSON.stringify(fields));

/** @param part what precedes each value; `{}` is its name */
export function multipart(boundary: string, part: string, written = boundary): Encoding {
  return (fields) =>
    withBody(
      `Content-Type: multipart/form-data; boundary=${written}`,
      Object.entries(fields)
        .map(([name, value]) => `--${boundary}\r\n${part.replace('{}', name)}\r\n\r\n${value}\r\n`)
        .concat(`--${boundary}--\r\n`)
        .join(''),
    );
}

/** A form in one chunk, as by clients that do not know its length beforehand. */
export const chunkedForm: Encoding = (fields) => {
  const text = formOf(fields, asUtf8);
  return {
    head: [FORM, 'Transfer-Encoding: chunked'],
    body: Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`),
  };
};

/** A request that a client sends. */
export interface RawRequest {
  /** Method, path and, unless it is HTTP/1.1, the version. */
  readonly sends: string;
  readonly head: readonly string[];
  readonly encoding: Encoding;
  readonly fields: Readonly<Record<string, string>>;
}

/** An answer as its bytes tell. */
export interface RawAnswer {
  readonly head: string;
  readonly body: string;
}

/** An application on a port of this machine, to which requests are sent byte by byte. */
export class RawServer implements AsyncDisposable {
  readonly #application: TestApplication;
  readonly #server: RunningServer;

  private constructor(application: TestApplication, server: RunningServer) {
    this.#application = application;
    this.#server = server;
  }

  static async start(application: TestApplication): Promise<RawServer> {
    const server = await startServer(application.app, { host: '127.0.0.1', port: 0 });
    return new RawServer(application, server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close(1_000);
    await this.#application.close();
  }

  /** Sends the head, waits for `100 Continue` where it announces so, and sends the body. */
  async exchange({ sends, head, encoding, fields }: RawRequest): Promise<RawAnswer> {
    const [method = '', path = '', version = 'HTTP/1.1'] = sends.split(' ');
    const written = encoding(fields);
    const lines = [
      `${method} ${path}${written.query ?? ''} ${version}`,
      `Host: 127.0.0.1:${this.#server.port}`,
      ...head,
      ...(written.head ?? []),
    ];
    const socket = connect(this.#server.port, '127.0.0.1');
    try {
      // Letters in a URL go out as the bytes of UTF-8.
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      if (lines.includes('Expect: 100-continue')) {
        expectContinue(await read(socket, (text) => text.includes('\r\n\r\n')));
      }
      socket.write(written.body ?? '');
      const text = await read(socket, isWhole);
      const end = text.indexOf('\r\n\r\n');
      return { head: text.slice(0, end), body: Buffer.from(text.slice(end + 4), 'latin1').toString() };
    } finally {
      socket.destroy();
    }
  }
}

function expectContinue(text: string): void {
  if (!text.startsWith('HTTP/1.1 100 ')) {
    throw new Error(`No 100 Continue: ${text}`);
  }
}

async function read(socket: Socket, isEnough: (text: string) => boolean): Promise<string> {
  let text = '';
  while (!isEnough(text)) {
    const piece = await Promise.race([once(socket, 'data'), once(socket, 'end')]);
    if (!(piece[0] instanceof Buffer)) {
      throw new Error(`The answer breaks off: ${text}`);
    }
    text += piece[0].toString('latin1');
  }
  return text;
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const length = Number(/^Content-Length: (\d+)/im.exec(text)?.[1]);
  return end >= 0 && text.length - end - 4 >= length;
}
