import { Alert, Badge, Button, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { Link } from 'wouter';
import { Section } from '../account/section.tsx';
import classes from '../account/section.module.css';
import { call } from '../api/call.ts';
import { useConfirmation } from '../confirmation/use-confirmation.tsx';
import { Failure } from '../design/failure.tsx';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { RecordTable } from '../design/record-table.tsx';
import { SecretField } from '../design/secret-field.tsx';
import { useReread } from '../design/use-reread.ts';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { administratorTexts } from './administrator-texts.ts';
import { useAdministrators } from './use-administrators.ts';

/** The administrators, and a form for another one. */
export default function AdministratorsPage(): ReactNode {
  const t = useTexts(administratorTexts);
  const format = useFormat();
  const session = useSession();
  const administrators = useAdministrators();
  const isPerson = session.isOfProvider;
  return (
    <Page title={t.title} lead={t.lead}>
      <Loaded query={administrators}>
        {(listed) => (
          <RecordTable
            label={t.title}
            columns={[
              [
                t.name,
                ({ name, is_own: own }) => (
                  <>
                    <Link href={`/administrators/${encodeURIComponent(name)}`}>{name}</Link>{' '}
                    {own && <Badge variant="light">{t.you}</Badge>}
                  </>
                ),
              ],
              [t.factor, t.factorOf],
              [t.created, ({ created_at: created }) => format.time(created)],
            ]}
            rows={listed}
            keyOf={({ name }) => name}
          />
        )}
      </Loaded>
      {isPerson && <Text>{t.person}</Text>}
      {!isPerson && session.may('system', 'write') && <Addition />}
    </Page>
  );
}

function Addition(): ReactNode {
  const t = useTexts(administratorTexts);
  const reread = useReread();
  const { run, dialog } = useConfirmation();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [added, setAdded] = useState<string>();
  const add = useMutation({
    mutationFn: () => run(() => call('/admin/admin/add', { administrator: name, password })),
    onMutate: () => {
      setAdded(undefined);
    },
    onSuccess: async () => {
      setAdded(name);
      setName('');
      setPassword('');
      await reread(['administrators']);
    },
    gcTime: 0,
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <Section title={t.addTitle} lead={t.addLead}>
      <form className={classes.form} onSubmit={submit} autoComplete="off">
        <TextInput
          label={t.name}
          autoComplete="off"
          required
          withAsterisk={false}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
        <SecretField label={t.password} autoComplete="new-password" value={password} onChange={setPassword} />
        <Failure error={add.error} />
        {added !== undefined && (
          <Alert color="green" role="status">
            {t.added(added)}
          </Alert>
        )}
        <Button type="submit" loading={add.isPending}>
          {t.add}
        </Button>
      </form>
      {dialog}
    </Section>
  );
}
