/**
 * Hands a file to the browser as a download.
 * @param text its content, which is in no address: the blob's address is revoked
 */
export function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Not at once: the browser may not have begun to read it.
  setTimeout(() => {
    URL.revokeObjectURL(address);
  }, 10_000);
}
