/** A request, as it goes over the wire and as a curl line says it. */
export interface DemoRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether the administrator speaks; otherwise nobody in particular. */
  readonly asAdministrator: boolean;
}

/** Characters that a form carries as they are: no need for curl to encode them. */
const PLAIN = /^[A-Za-z0-9_.,-]*$/;

/** @returns a line that can be pasted into a POSIX shell and does exactly this request */
export function curlLine(
  { method, path, parameters, asAdministrator }: DemoRequest,
  baseUrl: string,
  adminPassword: string,
): string {
  const user = asAdministrator ? ['-u', shellWord(`admin:${adminPassword}`)] : [];
  const fields = Object.entries(parameters).map(([name, value]) =>
    PLAIN.test(value) ? `-d ${name}=${value}` : `--data-urlencode ${shellWord(`${name}=${value}`)}`,
  );
  const asQuery = method === 'GET' && fields.length > 0 ? ['-G'] : [];
  // Without a field, curl would send no POST.
  const asPost = method === 'POST' && fields.length === 0 ? ['-X POST'] : [];
  return ['curl -s', ...user, ...asQuery, ...asPost, shellWord(baseUrl + path), ...fields].join(' ');
}

/** @returns the text as one word of a POSIX shell, whatever it holds */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_.,:/=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
