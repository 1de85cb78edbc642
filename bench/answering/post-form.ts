import type { BenchServer } from '../bench-server.ts';
import { FormProbe } from '../form-probe.ts';

/** Posts a form with the API token. @throws unless it succeeded */
export async function postForm(
  { baseUrl, apiToken }: Pick<BenchServer, 'baseUrl' | 'apiToken'>,
  path: string,
  parameters: Readonly<Record<string, string>>,
): Promise<void> {
  const probe = new FormProbe(baseUrl);
  const headers = { Authorization: `Bearer ${apiToken}` };
  const { status, body } = await probe.post({ path, parameters, headers });
  probe.close();
  if (status !== 200 || !body.includes('"status": true')) {
    throw new Error(`POST ${path} was answered ${status}: ${body}`);
  }
}

/** Opens a session. @returns its value, which the cookie `admin_session` and the parameter `session` carry */
export async function openSession({
  baseUrl,
  basic,
}: Pick<BenchServer, 'baseUrl' | 'basic'>): Promise<string> {
  const answer = await fetch(`${baseUrl}/admin/getsession`, { headers: { authorization: basic } });
  const session = /^admin_session=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1];
  if (session === undefined) {
    throw new Error(`No session was opened: ${answer.status} ${await answer.text()}`);
  }
  return session;
}
