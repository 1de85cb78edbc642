import { Button, Table, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { useConfirmation } from '../confirmation/use-confirmation.tsx';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { Failure } from '../design/failure.tsx';
import { Loaded } from '../design/loaded.tsx';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { createPasskey, hasPasskeys } from '../sign-in/web-authn.ts';
import { accountTexts } from './account-texts.ts';
import { Section } from './section.tsx';
import classes from './section.module.css';

type Passkey = ValueOf<'/admin/passkeys'>[number];

const KEY = ['passkeys'];

/** The caller's passkeys. */
export function OwnPasskeys(): ReactNode {
  const t = useTexts(accountTexts);
  const methods = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => call('/admin/sign-in/methods', {}, { signal }),
  });
  return (
    <Section title={t.passkeys} lead={t.passkeysLead}>
      <Loaded query={methods}>
        {({ passkeys }) => (passkeys && hasPasskeys() ? <PasskeyList /> : <Text>{t.passkeysOff}</Text>)}
      </Loaded>
    </Section>
  );
}

function PasskeyList(): ReactNode {
  const t = useTexts(accountTexts);
  const [removed, setRemoved] = useState<Passkey>();
  const passkeys = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call('/admin/passkeys', {}, { signal }),
  });
  return (
    <>
      <Loaded query={passkeys}>
        {(listed) =>
          listed.length === 0 ? (
            <Text>{t.noPasskeys}</Text>
          ) : (
            <PasskeyTable listed={listed} onRemove={setRemoved} />
          )
        }
      </Loaded>
      {removed !== undefined && (
        <Removal
          passkey={removed}
          onClose={() => {
            setRemoved(undefined);
          }}
        />
      )}
      <Addition />
    </>
  );
}

interface PasskeyTableProps {
  readonly listed: readonly Passkey[];
  readonly onRemove: (passkey: Passkey) => void;
}

function PasskeyTable({ listed, onRemove }: PasskeyTableProps): ReactNode {
  const t = useTexts(accountTexts);
  const format = useFormat();
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.name}</Table.Th>
            <Table.Th>{t.created}</Table.Th>
            <Table.Th>{t.lastUsed}</Table.Th>
            <Table.Th>
              <VisuallyHidden>{t.remove}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {listed.map((passkey) => (
            <Table.Tr key={passkey.id}>
              <Table.Td>{passkey.name}</Table.Td>
              <Table.Td>{format.time(passkey.created)}</Table.Td>
              <Table.Td>{passkey.lastused === null ? t.never : format.time(passkey.lastused)}</Table.Td>
              <Table.Td>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`${t.remove}: ${passkey.name}`}
                  onClick={() => {
                    onRemove(passkey);
                  }}
                >
                  {t.remove}
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Removal({
  passkey,
  onClose,
}: {
  readonly passkey: Passkey;
  readonly onClose: () => void;
}): ReactNode {
  const t = useTexts(accountTexts);
  const { run, dialog } = useConfirmation();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => run(() => call('/admin/passkeys/remove', { id: passkey.id })),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  return (
    <>
      <ConfirmDialog
        isOpen
        title={t.removeTitle(passkey.name)}
        action={t.remove}
        isDangerous
        isRunning={remove.isPending}
        error={remove.error}
        onConfirm={() => {
          remove.mutate();
        }}
        onCancel={onClose}
      >
        {t.removeText}
      </ConfirmDialog>
      {dialog}
    </>
  );
}

function Addition(): ReactNode {
  const t = useTexts(accountTexts);
  const { run, dialog } = useConfirmation();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const add = useMutation({
    mutationFn: async () => {
      const { options } = await run(() => call('/admin/passkeys/options'));
      await call('/admin/sign-in/passkey', { credential: await createPasskey(options), name });
    },
    onSuccess: async () => {
      setName('');
      await queries.invalidateQueries();
    },
    gcTime: 0,
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <>
      <form className={classes.form} onSubmit={submit}>
        <Failure error={add.error instanceof DOMException ? new Error(t.notMade) : add.error} />
        <TextInput
          label={t.newName}
          description={t.newNameHint}
          required
          withAsterisk={false}
          maxLength={64}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
        <Button type="submit" variant="default" loading={add.isPending}>
          {t.add}
        </Button>
      </form>
      {dialog}
    </>
  );
}
