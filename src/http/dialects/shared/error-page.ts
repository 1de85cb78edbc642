import { STATUS_CODES } from 'node:http';
import type { Reply } from '../../reply.ts';

/** A status that node names and LinOTP does not. */
const TEAPOT = 418;

/** @returns LinOTP's unframed page for an error with a status that the client requested by `httperror` */
export function errorPage(
  status: number,
  version: string,
  code: number,
  message: string,
): Reply & { readonly body: string } {
  const title = `${status} ${status} ${(status === TEAPOT ? undefined : STATUS_CODES[status]) ?? 'LinOTP Error'}`;
  const body = `
<html>
<head>
<title>${title}</title>
</head>
<body>
<h1>${title}</h1>
[${escapeText(version)}] ${code}: ${escapeText(message)}
<br>
<br>
</body>
</html>
`;
  return { status, contentType: 'text/html; charset=utf-8', body };
}

/** Escapes a text between tags. Quotes stay, as in LinOTP 2.12.6. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
