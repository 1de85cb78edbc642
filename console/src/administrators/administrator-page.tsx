import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { Section } from '../account/section.tsx';
import { SessionList } from '../account/session-list.tsx';
import { call } from '../api/call.ts';
import { useConfirmation } from '../confirmation/use-confirmation.tsx';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
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
          return found === undefined ? <Text>{t.unknown}</Text> : <Details administrator={found} />;
        }}
      </Loaded>
    </Page>
  );
}

function Details({ administrator }: { readonly administrator: ListedAdministrator }): ReactNode {
  const t = useTexts(administratorTexts);
  const { name, own, second_factor: factor, serial } = administrator;
  const session = useSession();
  const isPerson = session.administrator.startsWith('oidc:');
  const mayChange = session.may('system', 'write') && !isPerson;
  return (
    <>
      <Text>
        {t.factor}: {t.factorOf(factor, serial)}
      </Text>
      {isPerson && <Text>{t.person}</Text>}
      {own && (
        <Text>
          {t.own} <Link href="/account">{t.toAccount}</Link>
        </Text>
      )}
      {mayChange && <SecondFactor administrator={administrator} />}
      <ApiTokens administrator={name} mayChange={mayChange} />
      {!own && session.may('admin', 'sessions') && (
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
  const queries = useQueryClient();
  const { run, dialog } = useConfirmation();
  const [, go] = useLocation();
  const [isAsked, setAsked] = useState(false);
  const remove = useMutation({
    mutationFn: () => run(() => call('/admin/administrators/remove', { administrator: name })),
    onSuccess: async () => {
      go('/administrators');
      await queries.invalidateQueries({ queryKey: ['administrators'] });
    },
  });
  return (
    <Section title={t.removal} lead={t.removalLead}>
      <Group>
        <Button
          color="red"
          onClick={() => {
            setAsked(true);
          }}
        >
          {t.remove}
        </Button>
      </Group>
      <ConfirmDialog
        isOpen={isAsked}
        title={t.removeTitle(name)}
        action={t.remove}
        isDangerous
        isRunning={remove.isPending}
        error={remove.error}
        onConfirm={() => {
          remove.mutate();
        }}
        onCancel={() => {
          setAsked(false);
          remove.reset();
        }}
      >
        {t.removeText}
      </ConfirmDialog>
      {dialog}
    </Section>
  );
}
