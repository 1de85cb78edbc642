/** The releases of LinOTP that an answer can follow: `linotp2` is 2.12.6, `linotp3` is 3.4.4. */
export type Family = 'linotp2' | 'linotp3';

/** The folders of LinOTP 2.12.6. */
const LINOTP2_FOLDERS = /^\/(?:ocra|admin|system|validate)(?:\/|$)/;

/** @returns the family of a request that no endpoint takes; an endpoint declares its own */
export function familyWithoutEndpoint(path: string): Family {
  return LINOTP2_FOLDERS.test(path) ? 'linotp2' : 'linotp3';
}
