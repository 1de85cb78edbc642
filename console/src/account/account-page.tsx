import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Page } from '../design/page.tsx';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { accountTexts } from './account-texts.ts';
import { OwnPasskeys } from './own-passkeys.tsx';
import { OwnPassword } from './own-password.tsx';
import { Section } from './section.tsx';
import { SessionList } from './session-list.tsx';

/** The caller's password, passkeys and sessions. */
export default function AccountPage(): ReactNode {
  const t = useTexts(accountTexts);
  const { administrator, isOfProvider, rights } = useSession();
  return (
    <Page title={t.title} lead={t.lead(administrator)}>
      {rights.every(({ scope }) => scope === 'ocra') && (
        <Alert color="yellow" role="status">
          {t.noRights}
        </Alert>
      )}
      {isOfProvider ? (
        <Text>{t.person}</Text>
      ) : (
        <>
          <OwnPasskeys />
          <OwnPassword />
        </>
      )}
      <Section title={t.sessions}>
        <SessionList />
      </Section>
    </Page>
  );
}
