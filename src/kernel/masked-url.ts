const PASSWORD_PARAMETER = /^(?:ssl)?(?:pass|passwd|password|pwd)$/i;

/** @returns true if a URL holds a password, or text in which one may be hidden: it is no valid URL, or has an @ behind */
export function mayHoldPassword(url: string): boolean {
  const rest = /^[a-z][a-z0-9+.-]*:\/\/(.*)$/is.exec(url)?.[1] ?? '';
  const parameters = new URLSearchParams(/\?(.*)$/s.exec(rest)?.[1] ?? '');
  return (
    /:.*@/s.test(rest.replace(/^[^:@]*:@/, '')) ||
    [...parameters].some(([name, value]) => PASSWORD_PARAMETER.test(name) && value !== '')
  );
}

/** Hides the password in a URL. In a text that is no URL, hides all after a colon that introduces no port. */
export function maskPassword(url: string): string {
  const masked = url
    .replace(/^([a-z]+:\/\/.*?|(?![a-z]+:\/\/).*?):.*@/is, '$1:****@')
    .replace(/([?&]password=)[^&]*/gi, '$1****');
  return masked.includes('@') || URL.canParse(url)
    ? masked
    : masked.replace(/:(?!\/\/)(?!\d{1,5}(?:[/?]|$)).*/s, ':****');
}
