/** Without it, Excel takes a file of UTF-8 for one of Windows-1252. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Hands a file to the browser, which saves it; CSV so that spreadsheets know its encoding. */
export function saveFile({ name, content }: { readonly name: string; readonly content: Blob }): void {
  const file = content.type.startsWith('text/csv')
    ? new Blob([BYTE_ORDER_MARK, content], { type: content.type })
    : content;
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 60_000);
}
