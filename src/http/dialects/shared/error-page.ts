import { STATUS_CODES } from 'node:http';
import type { Reply } from '../../reply.ts';

/** A status that has a name for us, and had none for LinOTP. */
const TEAPOT = 418;

/** @returns LinOTP's page for an error whose status the client chose by `httperror`, without any frame */
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

/** Between tags, quotes are only quotes; LinOTP 2.12.6 left them alone, and so must we. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
