import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/language.ts';
import { personAddress } from './addresses.ts';
import { helpdeskTexts } from './helpdesk-texts.ts';
import type { HelpdeskToken } from './helpdesk-values.ts';

/** The owner of a token, with the way to their page. */
export function Owner({ owner }: { readonly owner: HelpdeskToken['owner'] }): ReactNode {
  const t = useTexts(helpdeskTexts);
  if (owner === null) {
    return t.nobody;
  }
  const { user, realm, resolver } = owner;
  return realm === null ? (
    user
  ) : (
    <Anchor href={`#${personAddress({ user, realm, resolver })}`}>{user}</Anchor>
  );
}
