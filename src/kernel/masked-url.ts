/**
 * Hides the password in an URL, also in a text that is none: then all behind a colon that introduces no port may be one.
 */
export function maskPassword(url: string): string {
  const masked = url
    .replace(/^([a-z]+:\/\/.*?|(?![a-z]+:\/\/).*?):.*@/is, '$1:****@')
    .replace(/([?&]password=)[^&]*/gi, '$1****');
  return masked.includes('@') || URL.canParse(url)
    ? masked
    : masked.replace(/:(?!\/\/)(?!\d{1,5}(?:[/?]|$)).*/s, ':****');
}
