import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/language.ts';
import { personAddress } from './addresses.ts';
import { helpdeskTexts } from './helpdesk-texts.ts';
import type { HelpdeskToken } from './helpdesk-values.ts';

/** The owner of a token, with the way to their page. */
export function Owner({
  token: { owner, owner_realm: realm },
}: {
  readonly token: Pick<HelpdeskToken, 'owner' | 'owner_realm'>;
}): ReactNode {
  const t = useTexts(helpdeskTexts);
  if (owner === null) {
    return t.nobody;
  }
  const { login: user, resolver } = owner;
  return realm === null ? (
    user
  ) : (
    <Anchor href={`#${personAddress({ user, realm, resolver })}`}>{user}</Anchor>
  );
}
