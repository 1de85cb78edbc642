const POLICY = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Sets the headers of every answer. The component needs no exception from a strict policy. */
export function setHeaders(_request, response, next) {
  response.set({
    'Content-Security-Policy': POLICY,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  });
  next();
}

/** Refuses requests of other sites that change something, and of other ports of this host, which SameSite lets pass. */
export function refuseOtherOrigins({ method, headers }, response, next) {
  const { origin, host } = headers;
  const isOwn = URL.canParse(origin) && new URL(origin).host === host;
  return method === 'GET' || method === 'HEAD' || isOwn ? next() : response.sendStatus(403);
}
