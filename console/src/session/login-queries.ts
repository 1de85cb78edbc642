/** For queries of the sign-in itself, which are no part of a login. */
export const OF_SIGN_IN = { isOfSignIn: true } as const;

/** @returns true for what a login has read */
export function isOfLogin({ meta }: { readonly meta: Record<string, unknown> | undefined }): boolean {
  return meta?.isOfSignIn !== true;
}
