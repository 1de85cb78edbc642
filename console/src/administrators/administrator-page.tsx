import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { Section } from '../account/section.tsx';
import { SessionList } from '../account/session-list.tsx';
import { call } from '../api/call.ts';
import { AskingButton, ConfirmedDialog } from '../confirmation/confirmed-dialog.tsx';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { administratorTexts } from './administrator-texts.ts';
import { ApiTokens } from './api-tokens.tsx';
import { OtherPassword } from './other-password.tsx';
import { SecondFactor } from './second-factor.tsx';
import { type ListedAdministrator, useAdministrators } from './use-administrators.ts';

/** One administrator: password, second factor, API tokens, sessions. */
export default function AdministratorPage(): ReactNode {
  const t = useTexts(administratorTexts);
  const { name = '' } = useParams();
  const administrators = useAdministrators();
  return (
    <Page title={name}>
      <Loaded query={administrators}>
        {(listed) => {
          const found = listed.find((one) => one.name === name);
          return found === undefined ? (
            <Text>
              {t.unknown} <Link href="/administrators">{t.back}</Link>
            </Text>
          ) : (
            <Details administrator={found} />
          );
        }}
      </Loaded>
    </Page>
  );
}

function Details({ administrator }: { readonly administrator: ListedAdministrator }): ReactNode {
  const t = useTexts(administratorTexts);
  const { name, is_own: own } = administrator;
  const session = useSession();
  const isPerson = session.isOfProvider;
  const mayChange = session.may('system', 'write') && !isPerson;
  return (
    <>
      <Text>
        {t.factor}: {t.factorOf(administrator)}
      </Text>
      {isPerson && <Text>{t.person}</Text>}
      {own && (
        <Text>
          {t.own} <Link href="/account">{t.toAccount}</Link>
        </Text>
      )}
      {mayChange && <SecondFactor administrator={administrator} />}
      <ApiTokens administrator={name} mayChange={mayChange} />
      {!own && session.mayEverywhere('admin', 'sessions') && (
        <Section title={t.sessions}>
          <SessionList owner={name} />
        </Section>
      )}
      {mayChange && !own && (
        <>
          <OtherPassword name={name} />
          <Removal name={name} />
        </>
      )}
    </>
  );
}

function Removal({ name }: { readonly name: string }): ReactNode {
  const t = useTexts(administratorTexts);
  const [, go] = useLocation();
  return (
    <Section title={t.removal} lead={t.removalLead}>
      <Group>
        <AskingButton label={t.remove} isDangerous>
          {(close) => (
            <ConfirmedDialog
              title={t.removeTitle(name)}
              action={t.remove}
              act={() => call('/admin/admin/remove', { administrator: name })}
              changes={['administrators']}
              waits={false}
              onDone={() => {
                go('/administrators');
              }}
              onCancel={close}
            >
              {t.removeText}
            </ConfirmedDialog>
          )}
        </AskingButton>
      </Group>
    </Section>
  );
}
