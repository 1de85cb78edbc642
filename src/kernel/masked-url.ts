/** Hides the password in a URL. In a text that is no URL, hides all after a colon that introduces no port. */
export function maskPassword(url: string): string {
  const masked = url
    .replace(/^([a-z]+:\/\/.*?|(?![a-z]+:\/\/).*?):.*@/is, '$1:****@')
    .replace(/([?&]password=)[^&]*/gi, '$1****');
  return masked.includes('@') || URL.canParse(url)
    ? masked
    : masked.replace(/:(?!\/\/)(?!\d{1,5}(?:[/?]|$)).*/s, ':****');
}
