import type { Reply } from '../../reply.ts';
import { errorPage } from '../shared/error-page.ts';

/** Statuses whose pages LinOTP 2.12.6 puts into the frame of its web framework. */
const FRAMED: readonly number[] = [400, 401, 403, 404, 500];

const UNAUTHORIZED = `401 Unauthorized

This server could not verify that you are authorized to access the document you requested. Either you supplied the wrong credentials (e.g., bad password), or your browser does not understand how to supply the credentials required.

 You have no valid session!  `;

const NOT_FOUND = `404 Not Found

The resource could not be found.

   `;

/** @returns the page for unauthenticated requests */
export function unauthorizedPage(): Reply {
  return page(401, framed(401, UNAUTHORIZED));
}

/** @returns the page for unknown paths */
export function notFoundPage(): Reply {
  return page(404, framed(404, NOT_FOUND));
}

/** @returns the page for an error with a status that the client requested */
export function framedErrorPage(status: number, version: string, code: number, message: string): Reply {
  const reply = errorPage(status, version, code, message);
  return FRAMED.includes(status) ? page(status, framed(status, reply.body)) : reply;
}

function page(status: number, body: string): Reply {
  return { status, contentType: 'text/html; charset=utf-8', body };
}

function framed(status: number, content: string): string {
  return `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en" lang="en">
<head>
 <title>Server Error ${status}</title>
<!-- CSS Imports -->
<link rel="stylesheet" href="/error/style/black.css" type="text/css" media="screen" />

<!-- Favorite Icons -->
<link rel="icon" href="/error/img/favicon.ico" type="image/png" />

<style type="text/css">
        .red {
            color:#FF0000;
        }
        .bold {
            font-weight: bold;
        }
</style>
</head>

<body>
    <div id="container">
        ${content}
    </div>
</body>
</html>
`;
}
