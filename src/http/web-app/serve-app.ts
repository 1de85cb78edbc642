import { ServiceError } from '../../kernel/errors.ts';
import { conditionalReply } from '../conditional-reply.ts';
import type { Guards } from '../limits/guards.ts';
import { type Reply, send } from '../reply.ts';
import type { ExchangeHandler } from '../request/exchange.ts';
import { type AppFile, type AppFiles, chosenCoding } from './app-files.ts';

/** The path of the app: in logs and metrics that of all its files. */
const APP_PATH = '/app';

/**
 * What the app may load and run: its own files, and requests to the services that its QR codes name, by https or on
 * this device. The `<meta>` of app/index.html says the same, for other hosts, but for the frames, which it cannot.
 */
export const APP_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': APP_POLICY,
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': 'camera=(self), geolocation=(), microphone=(), payment=(), usb=()',
  Vary: 'Accept-Encoding',
};
const FOR_EVER = 'public, max-age=31536000, immutable';
const METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** @returns the handler of `/app` and all files below it; it leaves other paths to the next handler */
export function serveApp(files: AppFiles, { requests }: Pick<Guards, 'requests'>): ExchangeHandler {
  return async (request, response, next) => {
    const { path, method, headers } = request;
    // The path as it was sent: the names of the files need no decoding, and no other path leads to one.
    const file = path.startsWith(`${APP_PATH}/`) ? files.get(path.slice(APP_PATH.length + 1)) : undefined;
    if (path !== APP_PATH && file === undefined) {
      next();
      return;
    }
    const { exchange } = response.locals;
    exchange.context = { ...exchange.context, path: APP_PATH };
    await requests.admit(exchange.limitedAs);
    if (!METHODS.includes(method)) {
      response.setHeader('Allow', METHODS.join(', '));
      throw new ServiceError('method.not-allowed', `The method ${method} is not allowed here`);
    }
    // It would contradict Cache-Control.
    response.removeHeader('Pragma');
    send(
      response,
      method === 'OPTIONS'
        ? { status: 204, headers: { Allow: METHODS.join(', ') } }
        : file === undefined
          ? TO_FOLDER
          : await fileReply(file, headers['accept-encoding'], headers['if-none-match']),
    );
  };
}

/** Relative, as a proxy may serve it below another path. */
const TO_FOLDER: Reply = { status: 308, headers: { Location: 'app/', 'Cache-Control': 'no-cache' } };

async function fileReply(
  file: AppFile,
  accepted: string | undefined,
  ifNoneMatch: string | undefined,
): Promise<Reply> {
  const { coding, ...content } = await file.in(chosenCoding(accepted));
  const reply = conditionalReply(content, ifNoneMatch);
  return {
    ...reply,
    headers: {
      ...reply.headers,
      ...HEADERS,
      ...(file.isImmutable && { 'Cache-Control': FOR_EVER }),
      ...(coding !== 'identity' && reply.status === 200 && { 'Content-Encoding': coding }),
    },
  };
}
